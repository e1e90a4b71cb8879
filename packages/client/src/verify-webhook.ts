import type { WebhookEvent } from './generated/wire';

/** Headers as Node, Express and Fastify have them, or as a web `Request` has them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

export type VerifyOptions = {
  /** How far the time of the webhook may differ from the clock of this machine. Default: 300. */
  toleranceSeconds?: number;
};

/** The signature or time of a webhook is wrong. Answer it with HTTP status 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

const defaultToleranceSeconds = 300;
/** More signatures than any rotation has. */
const maxSignatures = 16;
const prefix = 'whsec_';

/**
 * Checks the signature of a webhook and returns its event (Standard Webhooks 1.0.0). `rawBody` are the bytes as they arrived:
 * a parsed and serialized body has another signature. It is enough that one of the secrets signed. Rejects with a WebhookError.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = defaultToleranceSeconds }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = readBody(rawBody);
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const signatures = readHeader(headers, 'webhook-signature').split(' ').slice(0, maxSignatures);
  checkTime(timestamp, toleranceSeconds);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const keys = await Promise.all(listSecrets(secrets).map(importKey));
  let isSigned = false;
  // Every pair is checked, so that the time does not reveal which one matched.
  for (const signature of signatures) {
    for (const key of keys) {
      if (await isSignature(key, signature, content)) isSigned = true;
    }
  }
  if (!isSigned) {
    throw new WebhookError(
      'webhook-signature matches none of the secrets. Check the secret, and that the body is passed as it arrived.',
    );
  }
  return parseEvent(body);
}

function readBody(rawBody: unknown): string {
  if (typeof rawBody === 'string') return rawBody;
  if (rawBody instanceof Uint8Array) return new TextDecoder().decode(rawBody);
  throw new TypeError('rawBody must be the bytes or the text as they arrived, not a parsed object');
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value = findHeader(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookError(`The header ${name} is missing or was sent twice`);
}

function findHeader(headers: WebhookHeaders, name: string): unknown {
  const { get } = headers;
  if (typeof get === 'function') return get.call(headers, name);
  return Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
}

/** A webhook that somebody recorded and sends again is refused. */
function checkTime(timestamp: string, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookError('webhook-timestamp must be Unix seconds');
  }
  const ageSeconds = Math.round(Date.now() / 1_000) - Number(timestamp);
  if (Math.abs(ageSeconds) <= toleranceSeconds) return;
  const place = ageSeconds > 0 ? 'old' : 'ahead';
  throw new WebhookError(
    `webhook-timestamp is ${Math.abs(ageSeconds)} s ${place}; at most ${toleranceSeconds} s are allowed. Check the clock of this machine.`,
  );
}

function listSecrets(secrets: string | readonly string[]): readonly string[] {
  const list = typeof secrets === 'string' ? [secrets] : secrets;
  if (list.length > 0) return list;
  throw new TypeError('secrets must have at least one secret');
}

const algorithm = { name: 'HMAC', hash: 'SHA-256' };

function importKey(secret: string) {
  const bytes = secret.startsWith(prefix) ? decodeBase64(secret.slice(prefix.length)) : undefined;
  if (!bytes || bytes.length === 0) {
    throw new TypeError(`A secret must be ${prefix} and base64, as the dashboard shows it`);
  }
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
}

type Key = Awaited<ReturnType<typeof importKey>>;

/** WebCrypto compares in constant time. */
async function isSignature(key: Key, signature: string, content: Uint8Array): Promise<boolean> {
  const [version, base64 = ''] = signature.split(',');
  const bytes = version === 'v1' ? decodeBase64(base64) : undefined;
  return bytes !== undefined && crypto.subtle.verify(algorithm, key, bytes, content);
}

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function parseEvent(body: string): WebhookEvent {
  try {
    // Safe cast: the signature is right, so Belfry wrote the body.
    return JSON.parse(body) as WebhookEvent;
  } catch (cause) {
    throw new WebhookError('The body is not JSON', { cause });
  }
}
