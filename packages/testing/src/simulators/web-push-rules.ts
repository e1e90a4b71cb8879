import { createECDH, createVerify, type ECDH } from 'node:crypto';
import type { HttpRequest } from './http-simulator';
import { parseObject } from './read-object';

/** The keys of a browser's subscription. */
export type SubscriptionKeys = { ecdh: ECDH; auth: Buffer };

/** A request as a push service and a browser read it. */
export type ReadWebPush = {
  ttl: number;
  urgency: string;
  topic?: string;
  /** The claims of the VAPID token. */
  claims: Record<string, unknown>;
  /** `k` of the Authorization header. */
  publicKey: string;
  /** The decrypted plaintext. */
  text: string;
};

/** An error as Mozilla's push service answers it. */
export type WebPushProblem = { status: number; errno: number; message: string };

const maxBodyBytes = 4_096;
const maxTokenSeconds = 24 * 60 * 60;

/** Reads a push message, or returns the first rule that it breaks. */
export function readWebPush(
  { headers, body }: HttpRequest,
  { origin, keys, nowMs }: { origin: string; keys: SubscriptionKeys; nowMs: number },
): ReadWebPush | { problem: WebPushProblem } {
  const vapid = readVapid(String(headers.authorization ?? ''), { origin, nowMs });
  if ('problem' in vapid) return vapid;
  const { ttl, urgency = 'normal', topic } = headers;
  const problem = findHeaderProblem(headers) ?? findBodyProblem(headers, body);
  if (problem) return { problem };
  const text = decrypt(body, keys);
  if (text === undefined) return refuse(400, 110, 'The browser could not decrypt the message');
  return {
    ttl: Number(ttl),
    urgency: String(urgency),
    ...(topic === undefined ? {} : { topic: String(topic) }),
    ...vapid,
    text,
  };
}

/** RFC 8030, sections 5.2 to 5.4 */
function findHeaderProblem(headers: HttpRequest['headers']): WebPushProblem | undefined {
  const { ttl, urgency, topic } = headers;
  if (ttl === undefined) return create(400, 111, 'Missing TTL header');
  if (!/^\d{1,9}$/.test(String(ttl))) return create(400, 112, 'Invalid TTL header value');
  if (topic !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(String(topic))) {
    return create(400, 113, 'Invalid Topic header value');
  }
  const urgencies = ['very-low', 'low', 'normal', 'high'];
  if (urgency !== undefined && !urgencies.includes(String(urgency))) {
    return create(400, 110, 'Invalid Urgency header value');
  }
  return undefined;
}

/** RFC 8030, section 7.2, and RFC 8291, section 4 */
function findBodyProblem(
  headers: HttpRequest['headers'],
  body: Buffer,
): WebPushProblem | undefined {
  if (headers['content-encoding'] !== 'aes128gcm') {
    return create(400, 110, 'Unknown Content-Encoding');
  }
  return body.length > maxBodyBytes ? create(413, 104, 'Data payload too large') : undefined;
}

type Vapid = Pick<ReadWebPush, 'claims' | 'publicKey'>;

/** RFC 8292, sections 2 and 3 */
function readVapid(
  authorization: string,
  { origin, nowMs }: { origin: string; nowMs: number },
): Vapid | { problem: WebPushProblem } {
  const [, header = '', payload = '', signature = '', publicKey = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  const claims = parseObject(Buffer.from(payload, 'base64url'));
  const alg = parseObject(Buffer.from(header, 'base64url'))?.['alg'];
  if (!claims || alg !== 'ES256') return refuse(401, 109, 'Invalid Authorization header');
  if (!isSigned(`${header}.${payload}`, signature, publicKey)) {
    return refuse(401, 109, 'Invalid VAPID signature');
  }
  const { aud, exp, sub } = claims;
  if (aud !== origin) return refuse(401, 109, 'Invalid "aud" claim');
  const secondsLeft = Number(exp) - nowMs / 1_000;
  if (!(secondsLeft > 0 && secondsLeft <= maxTokenSeconds)) {
    return refuse(401, 109, 'Invalid "exp" claim');
  }
  if (!/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(String(sub))) {
    return refuse(401, 109, 'Invalid "sub" claim');
  }
  return { claims, publicKey };
}

function isSigned(text: string, signature: string, publicKey: string): boolean {
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((coordinate) =>
    coordinate.toString('base64url'),
  );
  const jwk = { kty: 'EC', crv: 'P-256', ...(x && y ? { x, y } : {}) };
  try {
    return createVerify('sha256')
      .update(text)
      .verify({ key: jwk, format: 'jwk', dsaEncoding: 'ieee-p1363' }, signature, 'base64url');
  } catch {
    return false;
  }
}

type HttpEce = {
  decrypt(
    body: Buffer,
    options: { version: 'aes128gcm'; privateKey: ECDH; authSecret: string },
  ): Buffer;
};

function decrypt(body: Buffer, { ecdh, auth }: SubscriptionKeys): string | undefined {
  const { decrypt: decryptBody } = require('http_ece') as HttpEce;
  const authSecret = auth.toString('base64url');
  try {
    return decryptBody(body, { version: 'aes128gcm', privateKey: ecdh, authSecret }).toString();
  } catch {
    return undefined;
  }
}

export function createP256(): ECDH {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  return ecdh;
}

function create(status: number, errno: number, message: string): WebPushProblem {
  return { status, errno, message };
}

function refuse(...problem: Parameters<typeof create>): { problem: WebPushProblem } {
  return { problem: create(...problem) };
}
