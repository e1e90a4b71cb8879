import { AppError } from '@belfry/shared';
import type { RequestHandler } from 'express';

/**
 * Refuses a path or query that is not percent-encoded UTF-8, or that holds U+0000, which PostgreSQL cannot store. Express
 * knows the first of a path only, and would guess what stands in a query.
 */
export const checkTarget: RequestHandler = function checkTarget(req, _res, next) {
  next(req.url.includes('%') ? findProblem(req.url) : undefined);
};

function findProblem(target: string): AppError | undefined {
  if (target.includes('%00')) return new AppError('bad_request', 'the URL holds U+0000 (%00)');
  try {
    decodeURIComponent(target);
    return undefined;
  } catch {
    return new AppError('bad_request', 'the URL is not percent-encoded UTF-8');
  }
}
