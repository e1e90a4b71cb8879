import { createSecretKey } from 'node:crypto';
import { AppError, isUserId } from '@belfry/shared';
import { decode, type JwtPayload, TokenExpiredError, verify } from 'jsonwebtoken';

/** A signed-in reader of an inbox. */
export type ReaderSession = {
  userId: string;
  /** The ID of the secret or API key that signed; empty for a counter that needs no signature. */
  credentialId: string;
  /** When the session ends, in Unix milliseconds. */
  endsAtMs: number;
};

/** An active inbox secret of the app. */
export type TokenSecret = { id: string; secret: string };

const clockSkewSeconds = 60;
const maxLifetimeSeconds = 60 * 60;

/**
 * Verifies a JWT (RFC 7519) that the app's backend signed with an inbox secret: HS256 only, with the secret's ID as `kid`.
 * Before the signature is verified, every refusal is the same.
 */
export function verifyReaderToken(
  token: string,
  appId: string,
  secrets: readonly TokenSecret[],
): ReaderSession {
  const kid = decode(token, { complete: true })?.header.kid;
  const secret = secrets.find(({ id }) => id === kid);
  const claims = secret && verifySignature(token, secret.secret);
  if (!secret || !claims) throw refuseToken();
  const { app, sub, exp } = claims;
  if (typeof app !== 'string' || app.toLowerCase() !== appId) {
    throw refuseToken('the claim app of the token must be the app ID of the path');
  }
  if (typeof sub !== 'string' || !isUserId(sub)) {
    throw refuseToken('the claim sub of the token must be a user ID');
  }
  if (exp === undefined) throw refuseToken('the claim exp of the token is missing');
  if (exp > Date.now() / 1_000 + maxLifetimeSeconds + clockSkewSeconds) {
    throw refuseToken('the claim exp of the token must be at most one hour ahead');
  }
  return { userId: sub, credentialId: secret.id, endsAtMs: (exp + clockSkewSeconds) * 1_000 };
}

/** Undefined if the signature is wrong. The library checks it before the times. */
function verifySignature(token: string, secret: string): JwtPayload | undefined {
  try {
    // With a text, the library first tries to read a public key, which takes longer than everything else here.
    const claims = verify(token, createSecretKey(Buffer.from(secret)), {
      algorithms: ['HS256'],
      clockTolerance: clockSkewSeconds,
    });
    return typeof claims === 'string' ? undefined : claims;
  } catch (error) {
    if (error instanceof TokenExpiredError) throw refuseToken('the token has expired');
    return undefined;
  }
}

const anyProblem =
  'the token is not valid: it must be a JWT with HS256, the ID of an active inbox secret of this app as kid, and its signature';

export function refuseToken(text = anyProblem): AppError {
  return new AppError('unauthenticated', text, {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  });
}
