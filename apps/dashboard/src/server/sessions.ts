import { createHash, randomBytes } from 'node:crypto';
import type { Access, SessionTimes } from '@belfry/database';
import type { Request, Response } from 'express';
import type { Connections } from './connection';
import { cookieName, readCookies, setCookie } from './cookies';
import { Refusal } from './problem';

const sessionTimes: SessionTimes = {
  idleMs: 12 * 60 * 60_000,
  longestMs: 7 * 24 * 60 * 60_000,
};

const tokenBytes = 32;
const sessionCookie = 'belfry_session';
/** Sessions ended by one sign-out. A browser sends one, unless another program set more. */
const maxSessionsEnded = 10;

/** The session of a request. */
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

/** Cookie sessions: a random token; only its hash is stored. */
export function createSessions({ access, connections }: SessionsDeps) {
  async function find(req: Request): Promise<Session | undefined> {
    const token = readToken(req, connections.isHttps(req));
    return token === undefined ? undefined : findByToken(token);
  }

  async function findByToken(token: string): Promise<Session | undefined> {
    const tokenHash = hashToken(token);
    const storedSession = await access.useSession(tokenHash, sessionTimes);
    if (!storedSession) return undefined;
    const { operator, expiresAt, endsAt } = storedSession;
    const account = { id: operator.accountId, name: operator.accountName };
    return { tokenHash, operator, account, expiresAt, endsAt };
  }

  function setSession(req: Request, res: Response, token: string): void {
    const isHttps = connections.isHttps(req);
    const cookie = { value: token, isHttps, maxAgeMs: sessionTimes.longestMs };
    setCookie(res, cookieName(sessionCookie, isHttps), cookie);
  }

  return {
    find,
    findByToken,

    async get(req: Request): Promise<Session> {
      const session = await find(req);
      if (!session) throw new Refusal('signed_out', 'Sign in first.');
      return session;
    },

    /** Always creates a new session, so a token from before the sign-in is never reused (session fixation). */
    async begin(req: Request, res: Response, operatorId: string): Promise<string> {
      const token = randomBytes(tokenBytes).toString('base64url');
      await access.createSession(operatorId, hashToken(token), sessionTimes);
      setSession(req, res, token);
      return token;
    },

    async end(req: Request, res: Response): Promise<void> {
      const tokens = readTokens(req, connections.isHttps(req)).slice(0, maxSessionsEnded);
      for (const token of tokens) await access.endSession(hashToken(token));
      setSession(req, res, '');
    },
  };
}

export type Sessions = ReturnType<typeof createSessions>;

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

const tokenShape = /^[A-Za-z0-9_-]{43}$/;

function readTokens(req: Request, isHttps: boolean): string[] {
  return readCookies(req, cookieName(sessionCookie, isHttps));
}

/** A second cookie was set by another program, for example on another port of the host. Neither can be trusted. */
function readToken(req: Request, isHttps: boolean): string | undefined {
  const [token = '', ...more] = readTokens(req, isHttps);
  if (more.length > 0) throw new Refusal('bad_request', severalSessions);
  return tokenShape.test(token) ? token : undefined;
}

const severalSessions =
  'The browser sent several session cookies. Delete the cookies of this site, then sign in again.';
