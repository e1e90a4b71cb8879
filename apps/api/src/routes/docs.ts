import { AppError } from '@belfry/shared';
import type { Request, RequestHandler, Response } from 'express';
import { getCall } from '../call';
import { type DocsFile, type DocsFiles, readDocsFiles } from '../docs/files';

/** `GET /docs` and its files. They are read on the first request and reference no other origin. */
export function createDocsRoutes(
  read: () => Promise<DocsFiles> = readDocsFiles,
): Record<'page' | 'asset', RequestHandler> {
  let reading: Promise<DocsFiles> | undefined;

  function files(): Promise<DocsFiles> {
    reading ??= read().catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  }

  const page: RequestHandler = async function docsPage(req, res) {
    if (req.path.endsWith('/')) {
      // Relative, because the page may be served under any path. With a trailing slash its own relative URLs would break.
      res.writeHead(308, { ...buildHeaders(res), Location: '../docs', 'Content-Length': 0 });
      res.end();
      return;
    }
    const { page: file } = await files();
    send(req, res, { file, headers: { ...pageHeaders, 'Cache-Control': revalidate } });
  };

  const asset: RequestHandler = async function docsAsset(req, res) {
    const file = (await files()).assets.get(String(req.params['name']));
    if (!file) throw new AppError('not_found');
    const isThisVersion = req.query['v'] === file.version;
    send(req, res, { file, headers: { 'Cache-Control': isThisVersion ? forever : revalidate } });
  };

  return { page, asset };
}

const revalidate = 'no-cache';
const forever = 'public, max-age=31536000, immutable';

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Icons in the style sheet of Swagger UI.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
};

type FileResponse = { file: DocsFile; headers: Record<string, string> };

function send(req: Request, res: Response, { file, headers }: FileResponse): void {
  const etag = `"${file.version}"`;
  const all = { ...buildHeaders(res), ...headers, ETag: etag, Vary: 'Accept-Encoding' };
  if (matches(req.headers['if-none-match'], etag)) {
    res.writeHead(304, all);
    res.end();
    return;
  }
  const isCompressed = req.acceptsEncodings('gzip', 'identity') === 'gzip';
  const bytes = isCompressed ? file.compressed : file.bytes;
  res.writeHead(200, {
    ...all,
    'Content-Type': file.type,
    'Content-Length': bytes.length,
    ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
  });
  res.end(bytes);
}

function buildHeaders(res: Response): Record<string, string> {
  return { 'X-Request-Id': getCall(res).id, 'Referrer-Policy': 'no-referrer' };
}

/** Compressing proxies make an ETag weak. */
function matches(header: string | undefined, etag: string): boolean {
  return (header ?? '')
    .split(',')
    .some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag);
}
