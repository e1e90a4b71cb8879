import { performance } from 'node:perf_hooks';
import type { AccountApp } from '@belfry/database';
import type { Response } from 'express';
import type { Session } from './sessions/sessions';

/** One call, from its arrival to its answer. */
export type Call = {
  id: string;
  startedAtMs: number;
  session?: Session;
  app?: AccountApp;
};

export function beginCall(res: Response, id: string): void {
  const call: Call = { id, startedAtMs: performance.now() };
  res.locals['call'] = call;
}

/** The call that `beginCall` put on the response, before every other step. */
export function callOf(res: Response): Call {
  return res.locals['call'];
}

/** Who is signed in; only for routes behind `requireSession`. */
export function sessionOf(res: Response): Session {
  const { session } = callOf(res);
  if (!session) throw new Error('This route is not behind requireSession');
  return session;
}

/** The app of the path, which is the account's own; only for routes behind `requireOwnApp`. */
export function appOf(res: Response): AccountApp {
  const { app } = callOf(res);
  if (!app) throw new Error('This route is not behind requireOwnApp');
  return app;
}

/** Who is signed in, as changes are written down. */
export function actorOf(res: Response): { accountId: string; operatorId: string } {
  const { accountId, operatorId } = sessionOf(res);
  return { accountId, operatorId };
}
