import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { HttpRequest } from './http-simulator';
import { parseObject } from './read-object';
import { formType, hasType } from './rules';

export type TokenProblem = { error: string; description: string };

const jwtGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const audience = 'https://oauth2.googleapis.com/token';
const scopeOfMessages = 'https://www.googleapis.com/auth/firebase.messaging';
const scopeOfCloud = 'https://www.googleapis.com/auth/cloud-platform';
const longestSeconds = 3_600;
const skewSeconds = 300;

/**
 * Why Google issues no access token, by developers.google.com/identity/protocols/oauth2/service-account. It needs grant and
 * assertion in a form, and a JWT that is signed with RS256, by the account, for this endpoint, for at most an hour.
 */
export function findTokenProblem(
  { headers, body }: HttpRequest,
  privateKey: string | undefined,
): TokenProblem | undefined {
  const fields = new URLSearchParams(body.toString('utf8'));
  if (!hasType(headers, formType)) return { error: 'invalid_request', description: 'Bad form' };
  if (fields.get('grant_type') !== jwtGrant) {
    return { error: 'unsupported_grant_type', description: 'Invalid grant_type' };
  }
  const description = findJwtProblem(fields.get('assertion') ?? '', privateKey);
  return description === undefined ? undefined : { error: 'invalid_grant', description };
}

function findJwtProblem(assertion: string, privateKey: string | undefined): string | undefined {
  const [header = '', claims = '', signature = '', ...extraParts] = assertion.split('.');
  const read = parseObject(Buffer.from(claims, 'base64url'));
  if (extraParts.length > 0 || signature === '' || !read) return 'Bad JWT';
  const { alg } = parseObject(Buffer.from(header, 'base64url')) ?? {};
  if (alg !== 'RS256') return 'Invalid JWT: alg must be RS256';
  if (privateKey && !isSigned(`${header}.${claims}`, signature, createPublicKey(privateKey))) {
    return 'Invalid JWT Signature.';
  }
  return findClaimProblem(read);
}

function isSigned(text: string, signature: string, key: KeyObject): boolean {
  return verify('RSA-SHA256', Buffer.from(text), key, Buffer.from(signature, 'base64url'));
}

function findClaimProblem(claims: Record<string, unknown>): string | undefined {
  const { iss, aud, scope, iat, exp } = claims;
  if (typeof iss !== 'string' || !iss.endsWith('.gserviceaccount.com')) {
    return 'Invalid grant: account not found';
  }
  if (aud !== audience) return 'Invalid JWT: Failed audience check.';
  const scopes = String(scope).split(' ');
  if (!scopes.includes(scopeOfMessages) && !scopes.includes(scopeOfCloud)) {
    return 'Invalid OAuth scope or ID token audience provided.';
  }
  const times = [Number(iat), Number(exp), Date.now() / 1_000] as const;
  const [begin, end, now] = times;
  const isInTime = begin <= now + skewSeconds && end > now && end - begin <= longestSeconds;
  return isInTime ? undefined : 'Invalid JWT: Token must be a short-lived token (60 minutes)';
}
