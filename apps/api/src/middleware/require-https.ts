import { type IsTrustedProxy, isHttps } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { RequestHandler } from 'express';

export type RequireHttpsDeps = {
  allowHttp: boolean;
  isTrustedProxy: IsTrustedProxy;
};

/** Refuses plain HTTP. It does not redirect: that would hide that the key has already leaked. */
export function createRequireHttps(deps: RequireHttpsDeps): RequestHandler {
  return function requireHttps(req, _res, next) {
    if (deps.allowHttp || isHttps(req, deps.isTrustedProxy)) next();
    else next(new AppError('https_required', 'calls over plain HTTP are refused: use HTTPS'));
  };
}
