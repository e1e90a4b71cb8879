import { type OperatorSessions, sessionNameOf } from '@belfry/database';
import type { Request, RequestHandler, Response } from 'express';
import type { Done, SessionList, SessionsEnded } from '../api-types/session';
import { actorOf, sessionOf } from '../call';
import { Refusal } from '../refusal';
import type { SessionCookie } from '../sessions/cookie';
import { sessionInfo } from './sign-in';

export type SessionRoutesDeps = {
  sessionStore: Pick<OperatorSessions, 'listSessions' | 'revokeSessions'>;
  cookie: SessionCookie;
};

/** An operator's own sessions. */
type SessionRoutes = {
  current: RequestHandler;
  list: RequestHandler;
  signOut: RequestHandler;
  end: RequestHandler<{ session_id: string }>;
  endOthers: RequestHandler;
};

export function createSessionRoutes({ sessionStore, cookie }: SessionRoutesDeps): SessionRoutes {
  const current: RequestHandler = (_req, res) => {
    res.json(sessionInfo(sessionOf(res)));
  };

  const list: RequestHandler = async (_req, res) => {
    const { operatorId, tokenHash } = sessionOf(res);
    const own = sessionNameOf(tokenHash);
    const answer: SessionList = {
      sessions: (await sessionStore.listSessions(operatorId)).map((session) => ({
        id: session.id,
        createdAt: session.createdAt.toISOString(),
        lastSeenAt: session.lastSeenAt.toISOString(),
        expiresAt: session.expiresAt.toISOString(),
        isThisOne: session.id === own,
      })),
    };
    res.json(answer);
  };

  async function signOut(req: Request, res: Response): Promise<void> {
    await sessionStore.revokeSessions(actorOf(res), {
      name: sessionNameOf(sessionOf(res).tokenHash),
    });
    cookie.clear(req, res);
    const answer: Done = { success: true };
    res.json(answer);
  }

  const end: RequestHandler<{ session_id: string }> = async (req, res) => {
    const ended = await sessionStore.revokeSessions(actorOf(res), { name: req.params.session_id });
    if (ended === 0) throw new Refusal('session_not_found', 'session not found');
    const answer: SessionsEnded = { ended };
    res.json(answer);
  };

  const endOthers: RequestHandler = async (_req, res) => {
    const keep = sessionNameOf(sessionOf(res).tokenHash);
    const answer: SessionsEnded = {
      ended: await sessionStore.revokeSessions(actorOf(res), { keep }),
    };
    res.json(answer);
  };

  return { current, list, signOut, end, endOthers };
}
