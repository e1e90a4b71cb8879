import { withinTime } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { RequestHandler } from 'express';
import { sendAnswer } from '../call';

const readyTimeoutMs = 2_000;

/** The process is running. */
export const livez: RequestHandler = function livez(_req, res) {
  sendAnswer(res, { status: 200, body: '{"status":"ok"}' });
};

/** The process can accept requests: PostgreSQL responds with the expected schema, and the process is not shutting down. */
export function createReadyz({ ready }: { ready(): Promise<boolean> }): RequestHandler {
  return async function readyz(_req, res) {
    if (!(await withinTime(ready(), readyTimeoutMs)))
      throw new AppError('unavailable', 'not ready');
    sendAnswer(res, { status: 200, body: '{"status":"ready"}' });
  };
}
