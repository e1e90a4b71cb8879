import { createHmac } from 'node:crypto';

export type ReaderSecret = { id: string; secret: string };

/** Other members of the header or the claims; undefined leaves one out. */
export type TokenChanges = {
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
};

const lifetimeSeconds = 600;

/** Signs in a reader of an inbox, as the backend of an app does. Written out, so that tests can sign wrong tokens. */
export function signReaderToken(
  { id, secret }: ReaderSecret,
  { appId, userId }: { appId: string; userId: string },
  { header, claims }: TokenChanges = {},
): string {
  const exp = Math.floor(Date.now() / 1_000) + lifetimeSeconds;
  const parts = [
    { alg: 'HS256', typ: 'JWT', kid: id, ...header },
    { sub: userId, app: appId, exp, ...claims },
  ];
  const text = parts
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}
