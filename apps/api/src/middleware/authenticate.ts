import { valuesOfHeader } from '@belfry/runtime';
import { AppError, isSameSecret, parseApiKey } from '@belfry/shared';
import type { Request } from 'express';
import { appIdOf } from '../path-values';

export type App = { id: string; accountId: string; delivery: 'sandbox' | 'live' };

/** Who calls, and for which of the account's apps. */
export type Caller = { accountId: string; apiKeyId: string; app: App };

export type AuthenticateDeps = {
  /** Keys that may be used now. */
  findApiKey(id: string): Promise<{ accountId: string; secretHash: Buffer } | undefined>;
  /** The key was right. */
  noteKeyUse(id: string): void;
  /** `id` is a UUID in lower case. */
  findApp(id: string): Promise<App | undefined>;
};

export type Authenticate = (req: Request) => Promise<Caller>;

/** Reads headers and path, never the body. Another account's app answers exactly as one that does not exist. */
export function createAuthenticate({
  findApiKey,
  noteKeyUse,
  findApp,
}: AuthenticateDeps): Authenticate {
  return async function authenticate(req) {
    const { accountId, apiKeyId } = await findAccount(keyTextOf(req));
    const app = await findOwnApp(appIdOf(req.params), accountId);
    return { accountId, apiKeyId, app };
  };

  async function findAccount(keyText: string): Promise<Omit<Caller, 'app'>> {
    const given = parseApiKey(keyText);
    const stored = given && (await findApiKey(given.id));
    if (!given || !stored || !isSameSecret(given.secretHash, stored.secretHash)) {
      throw unauthenticated('the API key is not valid');
    }
    noteKeyUse(given.id);
    return { accountId: stored.accountId, apiKeyId: given.id };
  }

  async function findOwnApp(id: string | undefined, accountId: string): Promise<App> {
    const app = id && (await findApp(id));
    if (!app || app.accountId !== accountId) throw new AppError('app_not_found');
    return app;
  }
}

// One release of the Java client leaves out the space.
const scheme = /^AuthKey *(\S+)$/i;

function keyTextOf(req: Request): string {
  const [header, ...more] = valuesOfHeader(req, 'authorization');
  if (header === undefined) {
    throw unauthenticated('the Authorization header is missing: it must be "AuthKey <API key>"');
  }
  if (more.length > 0) throw unauthenticated('the Authorization header was sent more than once');
  const key = scheme.exec(header)?.[1];
  if (key !== undefined) return key;
  throw unauthenticated(
    parseApiKey(header)
      ? 'the Authorization header holds the bare API key: "AuthKey " is missing before it'
      : 'the Authorization header must be "AuthKey <API key>"',
  );
}

function unauthenticated(text: string): AppError {
  return new AppError('unauthenticated', text);
}
