import type { IncomingMessage } from 'node:http';
import { getTraceId, type Logger } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { getCall, getRoute, sendAnswer, sendAnswerAndClose } from '../call';
import { errorBody, internalError } from '../error-body';
import { declaredBytes } from './before-body';
import { smallBodyBytes } from './body-limits';

/** Handles calls without a route. */
export const notFound: RequestHandler = function notFound(_req, _res, next) {
  next(new AppError('not_found'));
};

/** Responds to every error in the common format. Internal errors are logged and reveal nothing. */
export function createHandleErrors({ log }: { log: Logger }): ErrorRequestHandler {
  return function handleErrors(rawError: unknown, req, res, _next) {
    const error = toAppError(rawError);
    const call = getCall(res);
    if (error.status >= 500) {
      const trace_id = getTraceId(call.traceparent);
      const logged = { request_id: call.id, route: getRoute(req), code: error.code, trace_id };
      const cause = error.cause ?? error;
      if (error.code === 'internal') log.error('call.failed', { ...logged, error: cause });
      else log.warn('call.refused', { ...logged, error: cause });
    }
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const answer = {
      status: error.status,
      body: errorBody(error, call.id),
      headers: error.headers,
    };
    if (mayHoldConnection(req)) sendAnswerAndClose(req, res, answer);
    else sendAnswer(res, answer);
  };
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError && error.code !== 'internal') return error;
  return internalError(error);
}

/** Node reads the rest of a small body, so that the connection can be reused. */
function mayHoldConnection({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  const isChunked = headers['transfer-encoding'] !== undefined;
  return isChunked || declaredBytes(headers) > smallBodyBytes;
}
