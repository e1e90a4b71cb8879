import { type IsTrustedProxy, isHttps } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { RequestHandler } from 'express';

export type RequireHttpsDeps = {
  allowHttp: boolean;
  isTrustedProxy: IsTrustedProxy;
};

/** Refuses plain HTTP. A redirect would hide that the key was already sent in clear text. */
export function createRequireHttps(deps: RequireHttpsDeps): RequestHandler {
  return function requireHttps(req, _res, next) {
    if (deps.allowHttp || isHttps(req, deps.isTrustedProxy)) next();
    else next(new AppError('https_required'));
  };
}
