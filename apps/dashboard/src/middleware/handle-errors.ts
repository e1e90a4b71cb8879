import type { Logger } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { ErrorBody } from '../api-types/errors';
import { callOf } from '../call';
import { Refusal } from '../refusal';
import { routeOf } from './begin-call';

/** What no route took. */
export const notFound: RequestHandler = function notFound(_req, _res, next) {
  next(new AppError('not_found'));
};

/** Answers every failure in the one shape that the gateway has, too; what is our fault is logged and says nothing. */
export function createHandleErrors({ log }: { log: Logger }): ErrorRequestHandler {
  return function handleErrors(thrown: unknown, req, res, _next) {
    const error = refusalOf(thrown);
    const { id } = callOf(res);
    if (error.status >= 500) {
      const line = { call_id: id, route: routeOf(req), code: error.code, error: error.cause };
      log.error('call.failed', line);
    }
    if (res.headersSent) {
      res.destroy();
      return;
    }
    res.status(error.status).set(error.headers).json(bodyOf(error, id));
  };
}

function bodyOf(error: AppError | Refusal, callId: string): ErrorBody {
  const { message, code } = error;
  const errors = error instanceof AppError ? error.errors : undefined;
  const details = error instanceof Refusal ? error.details : undefined;
  return {
    success: false,
    error: message,
    code,
    ...(errors ? { errors } : {}),
    ...(details === undefined ? {} : { details }),
    request_id: callId,
  };
}

function refusalOf(thrown: unknown): AppError | Refusal {
  if (thrown instanceof Refusal) return thrown;
  if (thrown instanceof AppError && thrown.code !== 'internal') return thrown;
  if (thrown instanceof URIError) return new AppError('not_found');
  const status = statusOf(thrown);
  if (status === 413) return new AppError('body_too_large', 'the body must be at most 1 MB');
  if (status !== undefined && status < 500) {
    return new AppError('bad_request', 'the body ended early, or is compressed');
  }
  return new AppError('internal', 'internal error', { cause: thrown });
}

/** Express’s reader of bodies throws errors that carry an HTTP status. */
function statusOf(thrown: unknown): number | undefined {
  const status = thrown instanceof Error && 'status' in thrown ? thrown.status : undefined;
  return typeof status === 'number' ? status : undefined;
}
