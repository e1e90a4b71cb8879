import { AppError } from '@belfry/shared';
import type { RequestHandler } from 'express';
import { sendAnswer } from '../answer';

const readyTimeoutMs = 2_000;

/** The process runs. */
export const livez: RequestHandler = function livez(_req, res) {
  sendAnswer(res, { status: 200, body: '{"status":"ok"}' });
};

/** The process can accept: its stores answer. */
export function createReadyz({ ready }: { ready(): Promise<boolean> }): RequestHandler {
  return async function readyz(_req, res) {
    if (!(await isReadyInTime(ready))) throw new AppError('unavailable', 'not ready');
    sendAnswer(res, { status: 200, body: '{"status":"ready"}' });
  };
}

async function isReadyInTime(ready: () => Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), readyTimeoutMs);
  });
  try {
    return await Promise.race([ready(), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
