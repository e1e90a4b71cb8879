import { createHash, randomBytes } from 'node:crypto';
import type { Access, SessionTimes } from '@belfry/database';
import type { Request, Response } from 'express';
import type { Connections } from './connection';
import { Refusal } from './problem';

const sessionTimes: SessionTimes = {
  idleMs: 12 * 60 * 60_000,
  longestMs: 7 * 24 * 60 * 60_000,
};

const tokenBytes = 32;

/** Who is signed in. */
export type Session = {
  tokenHash: Buffer;
  operator: { id: string; email: string; role: string; passwordHash: string };
  account: { id: string; name: string };
  expiresAt: Date;
  endsAt: Date;
};

export type SessionsDeps = {
  access: Pick<Access, 'createSession' | 'useSession' | 'endSession'>;
  connections: Pick<Connections, 'isHttps'>;
};

/** Sessions in a cookie: a random token, of which only the hash is stored. */
export function createSessions({ access, connections }: SessionsDeps) {
  async function find(req: Request): Promise<Session | undefined> {
    const token = tokenOf(req, connections.isHttps(req));
    return token === undefined ? undefined : findByToken(token);
  }

  async function findByToken(token: string): Promise<Session | undefined> {
    const tokenHash = hashToken(token);
    const found = await access.useSession(tokenHash, sessionTimes);
    if (!found) return undefined;
    const { operator, expiresAt, endsAt } = found;
    const account = { id: operator.accountId, name: operator.accountName };
    return { tokenHash, operator, account, expiresAt, endsAt };
  }

  return {
    find,
    findByToken,

    async get(req: Request): Promise<Session> {
      const session = await find(req);
      if (!session) throw new Refusal('signed_out', 'Sign in first.');
      return session;
    },

    /** A new session each time: a token that was there before somebody signed in is never taken over. */
    async begin(req: Request, res: Response, operatorId: string): Promise<string> {
      const token = randomBytes(tokenBytes).toString('base64url');
      await access.createSession(operatorId, hashToken(token), sessionTimes);
      setCookie(res, { token, isHttps: connections.isHttps(req) });
      return token;
    },

    async end(req: Request, res: Response): Promise<void> {
      const isHttps = connections.isHttps(req);
      const token = tokenOf(req, isHttps);
      if (token !== undefined) await access.endSession(hashToken(token));
      setCookie(res, { token: '', isHttps });
    },
  };
}

export type Sessions = ReturnType<typeof createSessions>;

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function cookieName(isHttps: boolean): string {
  return isHttps ? '__Host-belfry_session' : 'belfry_session';
}

function setCookie(res: Response, { token, isHttps }: { token: string; isHttps: boolean }): void {
  res.cookie(cookieName(isHttps), token, {
    path: '/',
    httpOnly: true,
    secure: isHttps,
    sameSite: 'lax',
    maxAge: token === '' ? 0 : sessionTimes.longestMs,
  });
}

function tokenOf(req: Request, isHttps: boolean): string | undefined {
  const wanted = `${cookieName(isHttps)}=`;
  const parts = (req.headers.cookie ?? '').split(';').map((part) => part.trim());
  const token = parts.find((part) => part.startsWith(wanted))?.slice(wanted.length);
  return token && /^[A-Za-z0-9_-]{43}$/.test(token) ? token : undefined;
}
