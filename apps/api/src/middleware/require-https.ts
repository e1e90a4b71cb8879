import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { IsTrustedProxy } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { RequestHandler } from 'express';
import { valuesOfHeader } from '../raw-headers';

export type RequireHttpsDeps = {
  allowHttp: boolean;
  isTrustedProxy: IsTrustedProxy;
};

/** Refuses plain HTTP. It does not redirect: that would hide that the key has already leaked. */
export function createRequireHttps(deps: RequireHttpsDeps): RequestHandler {
  return function requireHttps(req, _res, next) {
    if (deps.allowHttp || isHttps(req, deps)) next();
    else next(new AppError('https_required', 'calls over plain HTTP are refused: use HTTPS'));
  };
}

function isHttps(req: IncomingMessage, { isTrustedProxy }: RequireHttpsDeps): boolean {
  if (req.socket instanceof TLSSocket) return true;
  if (!isTrustedProxy(req.socket.remoteAddress)) return false;
  const [said, ...more] = valuesOfHeader(req, 'x-forwarded-proto');
  return more.length === 0 && said?.toLowerCase() === 'https';
}
