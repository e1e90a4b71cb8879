import { withinTime } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { RequestHandler } from 'express';

const readyTimeoutMs = 2_000;

export const livez: RequestHandler = function livez(_req, res) {
  res.json({ status: 'ok' });
};

export function createReadyz({ ready }: { ready(): Promise<boolean> }): RequestHandler {
  return async function readyz(_req, res) {
    if (!(await withinTime(ready(), readyTimeoutMs)))
      throw new AppError('unavailable', 'not ready');
    res.json({ status: 'ready' });
  };
}
