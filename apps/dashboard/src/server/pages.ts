import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { Refusal } from './problem';

const nonceBytes = 16;
const yearSeconds = 31_536_000;

/** Headers of every response: no framing, no external resources. The server adds nosniff and HSTS. */
export function setSafeHeaders(_req: Request, res: Response, next: () => void): void {
  res.set({
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  });
  next();
}

/**
 * Serves the Markdown documents of this version as text. They need no program to read, and the links of the page work
 * in an installation without internet access.
 */
export function addDocs(app: Express, docsDir: string): void {
  const files = express.static(docsDir, {
    index: false,
    redirect: false,
    setHeaders: (res) => void res.set('Content-Type', 'text/plain; charset=utf-8'),
  });
  app.use('/docs', (req, res, next) => {
    if (req.path.endsWith('.md')) files(req, res, next);
    else next();
  });
}

/**
 * Serves the hashed files of the page. The build has compressed each one as far as Brotli can, which is smaller than a
 * compression for each answer.
 */
function createServeAssets(dir: string): RequestHandler {
  const names = new Set(existsSync(dir) ? readdirSync(dir) : []);
  const files = express.static(dir, {
    immutable: true,
    maxAge: yearSeconds * 1_000,
    index: false,
    setHeaders(res, file) {
      if (!file.endsWith('.br')) return;
      res.type(path.extname(file.slice(0, -'.br'.length))).set('Content-Encoding', 'br');
    },
  });
  return function serveAssets(req, res, next) {
    if (names.has(`${req.path.slice(1)}.br`) && req.acceptsEncodings('br')) req.url += '.br';
    files(req, res, next);
  };
}

/** Serves the page and its files. Every other path serves the page, too. */
export function addPages(app: Express, webDir: string): void {
  app.use('/assets', createServeAssets(path.join(webDir, 'assets')));
  app.use(express.static(webDir, { index: false, redirect: false, maxAge: 0 }));
  app.get(/^\/(?!api\/|assets\/).*$/, async (req, res) => {
    const page = await readFile(path.join(webDir, 'index.html'), 'utf8').catch(() => noPage);
    const nonce = randomBytes(nonceBytes).toString('base64');
    res.set('Content-Security-Policy', pagePolicy(nonce)).set('Cache-Control', 'no-store');
    res.type('html').send(withBase(page, req.path).replaceAll('__CSP_NONCE__', nonce));
  });
}

/** The editor creates its styles at run time; they carry the nonce. */
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

/** The relative path from a page such as `/apps/1/log` back to the root, independent of a proxy prefix. */
function withBase(page: string, requestPath: string): string {
  const depth = requestPath.split('/').length - 2;
  const base = depth > 0 ? '../'.repeat(depth) : './';
  return page
    .replace('<base href="./">', `<base href="${base}">`)
    .replace('<base href="./" />', `<base href="${base}" />`);
}

const noPage =
  '<!doctype html><title>Belfry</title><base href="./"><p>The dashboard page is not built. Run <code>npm run build</code>.';

/** A preview may only be displayed. */
const framePolicy =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; frame-ancestors 'self'";

/** Serves template HTML as a page without any permissions, in the requested theme. */
export function sendFrame(res: Response, body: unknown): void {
  const { html, theme } = (body ?? {}) as { html?: unknown; theme?: unknown };
  if (typeof html !== 'string') throw new Refusal('bad_request', 'The field `html` is missing.');
  res.set('Content-Security-Policy', framePolicy).set('Cache-Control', 'no-store');
  res.type('html').send(forceTheme(html, theme === 'dark' ? 'dark' : 'light'));
}

/** A frame has the theme of the browser, so its theme media queries are replaced here. */
export function forceTheme(html: string, theme: 'dark' | 'light'): string {
  return html.replace(
    /\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi,
    (_, queriedTheme: string) =>
      queriedTheme.toLowerCase() === theme ? '(min-width: 0)' : '(max-width: 0)',
  );
}
