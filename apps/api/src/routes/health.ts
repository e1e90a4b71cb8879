import { withinTime } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { RequestHandler } from 'express';
import { sendAnswer } from '../answer';

const readyTimeoutMs = 2_000;

/** The process runs. */
export const livez: RequestHandler = function livez(_req, res) {
  sendAnswer(res, { status: 200, body: '{"status":"ok"}' });
};

/** The process can accept: PostgreSQL answers, has the schema of this code, and the process is not ending. */
export function createReadyz({ ready }: { ready(): Promise<boolean> }): RequestHandler {
  return async function readyz(_req, res) {
    if (!(await withinTime(ready(), readyTimeoutMs)))
      throw new AppError('unavailable', 'not ready');
    sendAnswer(res, { status: 200, body: '{"status":"ready"}' });
  };
}
