import { createHmac } from 'node:crypto';
import type { SealedApiKey } from '@belfry/database';
import { type Awaitable, getHeaderValues } from '@belfry/runtime';
import { AppError, isSameSecret } from '@belfry/shared';
import type { Request } from 'express';
import { type App, parseAppId } from './before-body';

export type InboxApp = App & { openInboxCounters: boolean };

export type AuthenticateReaderDeps = {
  /** `id` is a UUID in lower case. */
  findApp(id: string, req: Request): Awaitable<InboxApp | undefined>;
  /** The active keys. */
  findSealedKeys(accountId: string): Promise<SealedApiKey[]>;
  openKey(key: SealedApiKey): string;
};

/** The claim in headers and path, before the user is known. */
export type ReaderClaim = {
  app: InboxApp;
  /** Absent if the app requires none. */
  signature?: Buffer;
};

/**
 * A front end has no API key. It sends a signature from the account's backend: the lower-case hex HMAC-SHA256 of the
 * `user_id` with the API key as the secret. An unknown app gets the same response as a wrong signature.
 */
export function createAuthenticateReader(deps: AuthenticateReaderDeps) {
  return {
    /** `isCounter`: one of the two calls that an app may open to unsigned callers. */
    async begin(req: Request, isCounter: boolean): Promise<ReaderClaim> {
      const header = readSignature(req);
      const app = await findRequestApp(req);
      if (header !== undefined)
        return { app: app ?? refuseSignature(), signature: parseSignature(header) };
      if (isCounter && app?.openInboxCounters) return { app };
      throw unauthenticated(`the header ${signatureHeader} is missing`);
    },

    async check({ app, signature }: ReaderClaim, userId: string): Promise<void> {
      if (!signature) return;
      const keys = await deps.findSealedKeys(app.accountId);
      // Compare every key, so that the time does not reveal which one matched.
      const matches = keys.filter((key) =>
        isSameSecret(sign(deps.openKey(key), userId), signature),
      );
      if (matches.length === 0) refuseSignature();
    },
  };

  async function findRequestApp(req: Request): Promise<InboxApp | undefined> {
    const id = parseAppId(req.params);
    return id === undefined ? undefined : deps.findApp(id, req);
  }
}

function readSignature(req: Request): string | undefined {
  const [header, ...more] = getHeaderValues(req, signatureHeader.toLowerCase());
  if (more.length > 0) throw unauthenticated(`${signatureHeader} was sent more than once`);
  return header;
}

function parseSignature(header: string): Buffer {
  return sha256Hex.test(header) ? Buffer.from(header, 'hex') : refuseSignature();
}

export const signatureHeader = 'X-Raven-User-Signature';
const sha256Hex = /^[0-9a-f]{64}$/i;
const wrongSignature = `${signatureHeader} is not the hex HMAC-SHA256 of this user_id with an API key of this app's account`;

function refuseSignature(): never {
  throw unauthenticated(wrongSignature);
}

function sign(apiKey: string, userId: string): Buffer {
  return createHmac('sha256', apiKey).update(userId).digest();
}

function unauthenticated(text: string): AppError {
  return new AppError('unauthenticated', text, {
    headers: { 'WWW-Authenticate': signatureHeader },
  });
}
