import type { RequestHandler } from 'express';
import { callOf } from '../call';
import { Refusal } from '../refusal';
import type { Sessions } from '../sessions/sessions';

export function createRequireSession(sessions: Pick<Sessions, 'find'>): RequestHandler {
  return async function requireSession(req, res, next) {
    const session = await sessions.find(req);
    if (!session) throw new Refusal('session_required', 'sign in first: the session has ended');
    callOf(res).session = session;
    next();
  };
}
