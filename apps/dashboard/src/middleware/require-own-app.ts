import type { AccountApps } from '@belfry/database';
import { AppError } from '@belfry/shared';
import type { RequestHandler } from 'express';
import { callOf, sessionOf } from '../call';

/** The app of the path must be the account's: another account's is answered as if it were not there. */
export function createRequireOwnApp({
  findAppOf,
}: Pick<AccountApps, 'findAppOf'>): RequestHandler<{ app_id: string }> {
  return async function requireOwnApp(req, res, next) {
    const app = await findAppOf(sessionOf(res).accountId, req.params.app_id);
    if (!app) throw new AppError('app_not_found');
    callOf(res).app = app;
    next();
  };
}
