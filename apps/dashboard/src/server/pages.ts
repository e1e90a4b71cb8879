import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import express, { type Express, type Request, type Response } from 'express';
import { Refusal } from './problem';

const nonceBytes = 16;
const yearSeconds = 31_536_000;

/** Every answer's headers: nothing is framed or loaded from elsewhere. The server adds those against sniffing and plain HTTP. */
export function setSafeHeaders(_req: Request, res: Response, next: () => void): void {
  res.set({
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  });
  next();
}

/** The page and its files. Every other path that a person may have in the address bar is the page, too. */
export function addPages(app: Express, webDir: string): void {
  app.use(
    '/assets',
    express.static(path.join(webDir, 'assets'), {
      immutable: true,
      maxAge: yearSeconds * 1_000,
      fallthrough: true,
      index: false,
    }),
  );
  app.use(express.static(webDir, { index: false, redirect: false, maxAge: 0 }));
  app.get(/^\/(?!api\/|assets\/).*$/, async (req, res) => {
    const page = await readFile(path.join(webDir, 'index.html'), 'utf8').catch(() => noPage);
    const nonce = randomBytes(nonceBytes).toString('base64');
    res.set('Content-Security-Policy', pagePolicy(nonce)).set('Cache-Control', 'no-store');
    res.type('html').send(withBase(page, req.path).replaceAll('__CSP_NONCE__', nonce));
  });
}

/** The styles of the editor are written while it runs; they carry the nonce. */
function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Relative to where the page is served: from `/apps/1/log` back to the top, whatever a proxy puts before it. */
function withBase(page: string, requestPath: string): string {
  const depth = requestPath.split('/').length - 2;
  const base = depth > 0 ? '../'.repeat(depth) : './';
  return page
    .replace('<base href="./">', `<base href="${base}">`)
    .replace('<base href="./" />', `<base href="${base}" />`);
}

const noPage =
  '<!doctype html><title>Belfry</title><base href="./"><p>The page of the dashboard is not built: run <code>npm run build</code>.';

/** What a preview may do: be looked at. */
const framePolicy =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; frame-ancestors 'self'";

/** Answers HTML that somebody wrote in a template as a page that can do nothing, in the theme that is asked for. */
export function sendFrame(res: Response, body: unknown): void {
  const { html, theme } = (body ?? {}) as { html?: unknown; theme?: unknown };
  if (typeof html !== 'string') throw new Refusal('bad_request', 'The field html is missing.');
  res.set('Content-Security-Policy', framePolicy).set('Cache-Control', 'no-store');
  res.type('html').send(forceTheme(html, theme === 'dark' ? 'dark' : 'light'));
}

/** A frame has the theme of the whole browser: what asks for it is answered here instead. */
export function forceTheme(html: string, theme: 'dark' | 'light'): string {
  return html.replace(
    /\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi,
    (_, queriedTheme: string) =>
      queriedTheme.toLowerCase() === theme ? '(min-width: 0)' : '(max-width: 0)',
  );
}
