import { findTargetProblem } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { RequestHandler } from 'express';

/** Refuses a path or query that Express would misread or PostgreSQL cannot store. */
export const checkTarget: RequestHandler = function checkTarget(req, _res, next) {
  const problem = findTargetProblem(req.url);
  next(problem === undefined ? undefined : new AppError('bad_request', `the URL ${problem}`));
};
