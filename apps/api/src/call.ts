import { performance } from 'node:perf_hooks';
import type { Response } from 'express';

/** One API call: its facts for the log and the response. */
export type Call = {
  /** The `X-Request-Id` of the response, the `request_id` of log lines and of an accepted request. */
  id: string;
  startedAtMs: number;
  answeredAtMs?: number;
  /** Extra headers of the response. */
  headers?: Record<string, string>;
  /** Set once the call is authenticated. */
  accountId?: string;
  appId?: string;
};

export function beginCall(res: Response, id: string): Call {
  const call: Call = { id, startedAtMs: performance.now() };
  res.locals['call'] = call;
  return call;
}

/** Returns the call that `beginCall` stored on the response. */
export function getCall(res: Response): Call {
  return res.locals['call'];
}
