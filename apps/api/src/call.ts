import { performance } from 'node:perf_hooks';
import type { Response } from 'express';

/** One call, from its arrival to its answer: what the log and the answer say of it. */
export type Call = {
  /** The `X-Request-Id` of the answer, and the `request_id` of what is accepted. */
  id: string;
  startedAtMs: number;
  answeredAtMs?: number;
  /** Of the answer, beside those that every answer has. */
  headers?: Record<string, string>;
  /** Known once the call is authenticated. */
  accountId?: string;
  appId?: string;
};

export function beginCall(res: Response, id: string): Call {
  const call: Call = { id, startedAtMs: performance.now() };
  res.locals['call'] = call;
  return call;
}

/** The call that `beginCall` put on the response, before every other step. */
export function getCall(res: Response): Call {
  return res.locals['call'];
}
