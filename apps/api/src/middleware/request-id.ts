import type { RequestHandler } from 'express';
import { beginCall } from '../call';

/** Gives each call its ID first of all. */
export function createRequestId({ newId }: { newId: () => string }): RequestHandler {
  return function requestId(_req, res, next) {
    beginCall(res, newId());
    next();
  };
}
