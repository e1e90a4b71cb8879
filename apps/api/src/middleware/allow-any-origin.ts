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

const headersOfBrowsers = 'Content-Type, X-Raven-User-Signature, Last-Event-ID, Idempotency-Key';

/** Answers the CORS preflight of a route that takes the token of a reader, which is in `Authorization`. */
export const answerPreflight: RequestHandler = createPreflight(
  `Authorization, ${headersOfBrowsers}`,
);

/** Answers the preflight of a route that browsers call without a credential. The API key must not be in a browser. */
export const answerOpenPreflight: RequestHandler = createPreflight(headersOfBrowsers);

function createPreflight(allowedHeaders: string): RequestHandler {
  return function handlePreflight(_req, res) {
    sendAnswer(res, {
      status: 200,
      body: '{"success":true}',
      headers: {
        'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
        'Access-Control-Allow-Headers': allowedHeaders,
        'Access-Control-Max-Age': String(preflightMaxAgeSeconds),
      },
    });
  };
}
