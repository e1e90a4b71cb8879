import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts secrets and creates keyed hashes, with the key ring `BELFRY_KEYS`. */
export type Secrets = {
  /** AES-256-GCM with the first key of the ring, bound to `place`, such as `integration:<id>:credentials`. */
  seal(plaintext: string, place: string): string;
  /** Throws SecretError if the key is not on the ring, the place differs, or the text was modified. */
  open(sealed: string, place: string): string;
  /** A keyed hash for `purpose`; equal for equal input and the same ring key. */
  fingerprint(purpose: string, text: string, keyId?: string): Buffer;
  /** Id of the key that seals. */
  keyId: string;
  /** Prefix of every text that this key seals. */
  sealedPrefix: string;
  /** Ids of all keys on the ring; the first one seals. */
  keyIds: readonly string[];
};

export class SecretError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SecretError';
  }
}

type RingKey = { id: string; key: Buffer };

const version = 'v1';
const ivBytes = 12;
const tagBytes = 16;

/** `ring` is `id:base64,id:base64,...`, each key with 32 bytes. The first key seals; every key opens. */
export function createSecrets(ring: string): Secrets {
  const keys = parseRing(ring);
  const [current] = keys;
  if (!current) throw new SecretError('BELFRY_KEYS contains no key');
  const byId = new Map(keys.map((entry) => [entry.id, entry.key]));
  const derivedSecrets = new Map<string, string>();

  function getKey(id: string): Buffer {
    const key = byId.get(id);
    if (!key)
      throw new SecretError(
        `The key "${id}" is not in BELFRY_KEYS: add it back after the first key`,
      );
    return key;
  }

  function deriveSecret(purpose: string, id: string): string {
    const name = `${id}:${purpose}`;
    const cached = derivedSecrets.get(name);
    if (cached !== undefined) return cached;
    const secret = Buffer.from(
      hkdfSync('sha256', getKey(id), '', `belfry:${purpose}`, 32),
    ).toString('base64');
    derivedSecrets.set(name, secret);
    return secret;
  }

  return {
    keyId: current.id,
    sealedPrefix: `${version}.${current.id}.`,
    keyIds: keys.map(({ id }) => id),
    seal(plaintext, place) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', current.key, iv).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([
        cipher.update(plaintext, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return [version, current.id, iv.toString('base64url'), sealed.toString('base64url')].join(
        '.',
      );
    },
    open(sealed, place) {
      const [form, id, iv, body, ...rest] = sealed.split('.');
      if (form !== version || !id || !iv || !body || rest.length > 0) {
        throw new SecretError('Not a sealed text');
      }
      return decrypt(getKey(id), decode(iv), decode(body), place);
    },
    fingerprint(purpose, text, keyId = current.id) {
      return hash('sha256', deriveSecret(purpose, keyId) + text, 'buffer');
    },
  };
}

/** Only the text that `seal` wrote: Node's decoder skips what it does not know, and ignores the last bits. */
function decode(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw new SecretError('Not a sealed text');
  return bytes;
}

function decrypt(key: Buffer, iv: Buffer, body: Buffer, place: string): string {
  const tag = body.subarray(body.length - tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes }).setAAD(
    Buffer.from(place),
  );
  try {
    decipher.setAuthTag(tag);
    return decipher.update(body.subarray(0, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
  } catch (cause) {
    throw Object.assign(
      new SecretError('The sealed text was modified, or belongs to another place'),
      { cause },
    );
  }
}

function parseRing(ring: string): RingKey[] {
  return ring.split(',').map((entry) => {
    const [id = '', encoded = ''] = entry.trim().split(/:(.*)/s);
    const key = Buffer.from(encoded, 'base64');
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(id) || key.length !== 32) {
      throw new SecretError(
        'BELFRY_KEYS must be id:base64 pairs, comma separated, each of 32 bytes',
      );
    }
    return { id, key };
  });
}

/** A key ring with one new key, for the first start. */
export function createKeyRing(): string {
  return `k1:${randomBytes(32).toString('base64')}`;
}
