import type { RequestHandler } from 'express';
import { getCall, sendAnswer } from '../call';

/** Allows any origin to read responses, errors included. Without credentials: cookies are neither sent nor set. */
export const allowAnyOrigin: RequestHandler = function allowAnyOrigin(_req, res, next) {
  const call = getCall(res);
  call.headers = {
    ...call.headers,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'X-Request-Id, Retry-After',
  };
  next();
};

const preflightMaxAgeSeconds = 7_200;

/** Answers the CORS preflight. `Authorization` is not allowed, because the API key must not be in a browser. */
export const answerPreflight: RequestHandler = function answerPreflight(_req, res) {
  sendAnswer(res, {
    status: 200,
    body: '{"success":true}',
    headers: {
      'Access-Control-Allow-Methods': 'GET, POST, PUT',
      'Access-Control-Allow-Headers': 'Content-Type, X-Raven-User-Signature, Idempotency-Key',
      'Access-Control-Max-Age': String(preflightMaxAgeSeconds),
    },
  });
};
