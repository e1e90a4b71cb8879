import { createHmac } from 'node:crypto';
import type { SealedApiKey, SealedInboxSecret } from '@belfry/database';
import { type Awaitable, getHeaderValues, type Secrets } from '@belfry/runtime';
import { AppError, isSameSecret } from '@belfry/shared';
import type { Request } from 'express';
import { readQueryValue } from '../query-values';
import { type App, parseAppId } from './before-body';
import { type ReaderSession, refuseToken, verifyReaderToken } from './reader-token';
import { readStreamTicket } from './stream-ticket';

export type InboxApp = App & {
  openInboxCounters: boolean;
  /** Whether readers may sign in with a signature by an API key. */
  inboxSignature: boolean;
};

export type AuthenticateReaderDeps = {
  /** `id` is a UUID in lower case. */
  findApp(id: string, req: Request): Awaitable<InboxApp | undefined>;
  /** The active keys. */
  findSealedKeys(accountId: string): Promise<SealedApiKey[]>;
  openKey(key: SealedApiKey): string;
  /** The active inbox secrets of an app. */
  findSealedSecrets(appId: string): Promise<SealedInboxSecret[]>;
  openSecret(secret: SealedInboxSecret): string;
  /** Seals and opens tickets. */
  secrets: Pick<Secrets, 'seal' | 'open'>;
};

/** The claim in headers, path and query, before the user is known. */
export type ReaderClaim = {
  app: InboxApp;
  /** A valid token or ticket names its user. */
  session?: ReaderSession;
  /** Without a session and a signature, the app requires none. */
  signature?: Buffer;
};

export type ReaderRules = {
  /** One of the two calls that an app may open to unsigned callers. */
  isCounter?: boolean;
  /** The call may bring a ticket. */
  isStream?: boolean;
};

/**
 * A front end has no API key. It sends a token or a ticket, or a signature from the account's backend: the lower-case hex
 * HMAC-SHA256 of the `user_id` with the API key as the secret. An unknown app gets the same response as a wrong
 * credential.
 */
export function createAuthenticateReader(deps: AuthenticateReaderDeps) {
  return {
    async begin(req: Request, rules: ReaderRules): Promise<ReaderClaim> {
      const credential = readCredential(req, rules);
      const app = await findRequestApp(req);
      if (credential) return checkCredential(app, credential);
      if (rules.isCounter && app?.openInboxCounters) return { app };
      throw unauthenticated(
        `the header ${signatureHeader} is missing, and Authorization is not "Bearer <token>"`,
      );
    },

    async check(claim: ReaderClaim, userId: string): Promise<ReaderSession> {
      const { app, session, signature } = claim;
      if (session) return session.userId === userId ? session : refuseUser();
      const unlimited = { userId, endsAtMs: Number.POSITIVE_INFINITY };
      if (!signature) return { ...unlimited, credentialId: '' };
      const keys = await deps.findSealedKeys(app.accountId);
      // Compare every key, so that the time does not reveal which one matched.
      const matches = keys.filter((key) =>
        isSameSecret(sign(deps.openKey(key), userId), signature),
      );
      const [key = refuseSignature()] = matches;
      return { ...unlimited, credentialId: key.id };
    },
  };

  async function findRequestApp(req: Request): Promise<InboxApp | undefined> {
    const id = parseAppId(req.params);
    return id === undefined ? undefined : deps.findApp(id, req);
  }

  async function checkCredential(
    app: InboxApp | undefined,
    { kind, text }: Credential,
  ): Promise<ReaderClaim> {
    if (kind === 'signature') return { app: requireSignatureApp(app), signature: parse(text) };
    if (kind === 'token') return checkToken(app, text);
    const session = app && readStreamTicket(text, app.id, deps.secrets);
    return app && session ? { app, session } : refuseTicket();
  }

  async function checkToken(app: InboxApp | undefined, token: string): Promise<ReaderClaim> {
    if (!app) throw refuseToken();
    const sealed = await deps.findSealedSecrets(app.id);
    const secrets = sealed.map((each) => ({ id: each.id, secret: deps.openSecret(each) }));
    return { app, session: verifyReaderToken(token, app.id, secrets) };
  }
}

function refuseTicket(): never {
  throw refuseToken('the ticket is not valid, or it has expired');
}

/** The IDs of all credentials with which readers of the app may sign in now; none if it does not exist. */
export async function findCredentialIds(
  {
    findSealedKeys,
    findSealedSecrets,
  }: Pick<AuthenticateReaderDeps, 'findSealedKeys' | 'findSealedSecrets'>,
  app: InboxApp | undefined,
): Promise<ReadonlySet<string>> {
  if (!app) return new Set();
  const [secrets, keys] = await Promise.all([
    findSealedSecrets(app.id),
    app.inboxSignature ? findSealedKeys(app.accountId) : [],
  ]);
  return new Set([...secrets, ...keys].map(({ id }) => id));
}

type Credential = { kind: 'token' | 'ticket' | 'signature'; text: string };

function readCredential(req: Request, { isStream }: ReaderRules): Credential | undefined {
  const token = readBearer(req);
  if (token !== undefined) return { kind: 'token', text: token };
  const ticket = isStream ? readQueryValue(req.query, 'ticket') : undefined;
  if (ticket !== undefined) return { kind: 'ticket', text: ticket };
  const [signature, ...more] = getHeaderValues(req, signatureHeader.toLowerCase());
  if (more.length > 0) throw unauthenticated(`${signatureHeader} was sent more than once`);
  return signature === undefined ? undefined : { kind: 'signature', text: signature };
}

const bearer = /^Bearer +(\S+)$/i;

/** Another scheme is ignored, as it was before there were tokens. */
function readBearer(req: Request): string | undefined {
  const tokens = getHeaderValues(req, 'authorization').map((text) => bearer.exec(text)?.[1]);
  if (tokens.length > 1) throw refuseToken('the Authorization header was sent more than once');
  return tokens[0];
}

function requireSignatureApp(app: InboxApp | undefined): InboxApp {
  return app?.inboxSignature ? app : refuseSignature();
}

function parse(header: string): Buffer {
  return sha256Hex.test(header) ? Buffer.from(header, 'hex') : refuseSignature();
}

export const signatureHeader = 'X-Raven-User-Signature';
const sha256Hex = /^[0-9a-f]{64}$/i;
const wrongSignature = `${signatureHeader} is not the hex HMAC-SHA256 of this user_id with an API key of this app's account, or the app accepts only tokens`;

function refuseSignature(): never {
  throw unauthenticated(wrongSignature);
}

function refuseUser(): never {
  throw refuseToken('user_id must be the user of the token: leave it out');
}

function sign(apiKey: string, userId: string): Buffer {
  return createHmac('sha256', apiKey).update(userId).digest();
}

function unauthenticated(text: string): AppError {
  return new AppError('unauthenticated', text, {
    headers: { 'WWW-Authenticate': signatureHeader },
  });
}
