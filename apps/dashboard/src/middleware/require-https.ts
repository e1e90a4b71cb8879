import { type IsTrustedProxy, isHttps } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { RequestHandler } from 'express';

export type HttpsRules = { allowHttp: boolean; isTrustedProxy: IsTrustedProxy };

/** Refuses plain HTTP, without a redirect, as the gateway does. */
export function createRequireHttps({ allowHttp, isTrustedProxy }: HttpsRules): RequestHandler {
  return function requireHttps(req, _res, next) {
    if (allowHttp || isHttps(req, isTrustedProxy)) next();
    else next(new AppError('https_required', 'calls over plain HTTP are refused: use HTTPS'));
  };
}
