import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { Refusal } from '../refusal';

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A change must come from a page of this server: the browser says so, and no other page can say it. */
export const requireOwnOrigin: RequestHandler = function requireOwnOrigin(req, _res, next) {
  if (reading.has(req.method) || isOwnOrigin(req)) next();
  else {
    const text =
      'changes are taken from this dashboard’s own pages only; a proxy in front must pass Host on';
    next(new Refusal('origin_refused', text));
  }
};

function isOwnOrigin({ headers }: IncomingMessage): boolean {
  const { origin, host } = headers;
  if (headers['sec-fetch-site'] !== undefined && headers['sec-fetch-site'] !== 'same-origin') {
    return false;
  }
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
}
