import { createHash, randomBytes } from 'node:crypto';
import type { OperatorSessions, SessionRow } from '@belfry/database';
import type { Request, Response } from 'express';
import type { SessionCookie } from './cookie';

/** Who is signed in, and the hash by which this session is found. */
export type Session = SessionRow & { tokenHash: Buffer };

export type Sessions = {
  find(req: Request): Promise<Session | undefined>;
  /** Signs in: the browser gets a new token, whatever it had before. */
  begin(req: Request, res: Response, operator: { id: string; accountId: string }): Promise<Session>;
};

const tokenBytes = 32;
const shape = /^[A-Za-z0-9_-]{43}$/;

export function createSessions({
  store,
  cookie,
}: {
  store: Pick<OperatorSessions, 'createSession' | 'findSession'>;
  cookie: SessionCookie;
}): Sessions {
  async function findByToken(token: string): Promise<Session | undefined> {
    const tokenHash = hashOfToken(token);
    const row = await store.findSession(tokenHash);
    return row && { ...row, tokenHash };
  }

  return {
    async find(req) {
      const token = cookie.read(req);
      return token !== undefined && shape.test(token) ? findByToken(token) : undefined;
    },
    async begin(req, res, { id, accountId }) {
      const token = createToken();
      await store.createSession({ accountId, operatorId: id }, hashOfToken(token));
      const session = await findByToken(token);
      if (!session) throw new Error('A session that was just made is not there');
      cookie.set(req, res, token);
      return session;
    },
  };
}

/** 256 bits, for cookies and links. */
export function createToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
