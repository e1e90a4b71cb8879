import { type Awaitable, andThen, getHeaderValues } from '@belfry/runtime';
import { AppError, isSameSecret, type ParsedApiKey, parseApiKey } from '@belfry/shared';
import type { Request } from 'express';
import { parseAppId } from '../path-values';

export type App = {
  id: string;
  accountId: string;
  delivery: 'sandbox' | 'live';
  /** The region of phone numbers without a country code. */
  defaultRegion: string | null;
  /** The account has reached its storage limit. */
  isStorageFull: boolean;
};

/** The authenticated account, with the app of the path. */
export type Caller = { accountId: string; apiKeyId: string; app: App };

export type AuthenticateDeps = {
  /** Finds an active key. */
  findApiKey(id: string, req: Request): Awaitable<StoredApiKey | undefined>;
  /** Called for every valid key. */
  recordKeyUse(id: string): void;
  /** `id` is a UUID in lower case. */
  findApp(id: string): Awaitable<App | undefined>;
};

type StoredApiKey = { accountId: string; secretHash: Buffer };

/** Synchronous if key and app are cached. */
export type Authenticate = (req: Request) => Awaitable<Caller>;

/** Reads headers and path, never the body. An app of another account is reported as unknown. */
export function createAuthenticate({
  findApiKey,
  recordKeyUse,
  findApp,
}: AuthenticateDeps): Authenticate {
  return function authenticate(req) {
    const parsedKey = parseApiKey(readKeyText(req));
    return andThen(parsedKey && findApiKey(parsedKey.id, req), (stored) => {
      const accountId = verifyKey(parsedKey, stored);
      const apiKeyId = String(parsedKey?.id);
      const appId = parseAppId(req.params);
      return andThen(appId === undefined ? undefined : findApp(appId), (app) => {
        if (!app || app.accountId !== accountId) throw new AppError('app_not_found');
        return { accountId, apiKeyId, app };
      });
    });
  };

  function verifyKey(
    parsedKey: ParsedApiKey | undefined,
    stored: StoredApiKey | undefined,
  ): string {
    if (!parsedKey || !stored || !isSameSecret(parsedKey.secretHash, stored.secretHash)) {
      throw unauthenticated('the API key is not valid');
    }
    recordKeyUse(parsedKey.id);
    return stored.accountId;
  }
}

// One release of the Java client omits the space.
const scheme = /^AuthKey *(\S+)$/i;

function readKeyText(req: Request): string {
  const [header, ...more] = getHeaderValues(req, 'authorization');
  if (header === undefined) {
    throw unauthenticated('the Authorization header is missing: send "AuthKey <API key>"');
  }
  if (more.length > 0) throw unauthenticated('the Authorization header was sent more than once');
  const key = scheme.exec(header)?.[1];
  if (key !== undefined) return key;
  throw unauthenticated(
    parseApiKey(header)
      ? 'the Authorization header has only the API key: it must be "AuthKey <API key>"'
      : 'the Authorization header must be "AuthKey <API key>"',
  );
}

function unauthenticated(text: string): AppError {
  return new AppError('unauthenticated', text);
}
