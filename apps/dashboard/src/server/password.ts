import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { createSemaphore } from '@belfry/runtime';
import { Refusal } from './problem';

export const minPasswordLength = 12;

/** 32 MB and some 150 ms a password: the strength that OWASP names for scrypt. */
const cost = { N: 2 ** 15, r: 8, p: 3 };
const keyBytes = 32;
const saltBytes = 16;
const maxMemoryBytes = 64 * 1024 * 1024;
const atOnce = 2;
/** Some 5 s of waiting; whoever comes later is asked to come again. */
const maxWaiting = 64;

export type Passwords = {
  hash(password: string): Promise<string>;
  /** Takes as long when there is nobody to compare with. */
  matches(password: string, hash: string | undefined): Promise<boolean>;
};

/** Passwords as they are stored: scrypt, each with its own salt and its parameters beside it. */
export function createPasswords(): Passwords {
  // So that a flood of sign-ins holds neither the memory nor all of the threads.
  const slots = createSemaphore(atOnce);
  let waiting = 0;

  async function derive(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
    if (waiting >= maxWaiting) throw busy();
    waiting += 1;
    const release = await slots.acquire();
    waiting -= 1;
    try {
      return await deriveKey(password.normalize('NFC'), salt, options);
    } finally {
      release();
    }
  }

  return {
    async hash(password) {
      const salt = randomBytes(saltBytes);
      const key = await derive(password, salt, cost);
      const parameters = `N=${cost.N},r=${cost.r},p=${cost.p}`;
      return ['scrypt', parameters, salt.toString('base64'), key.toString('base64')].join('$');
    },
    async matches(password, hash) {
      const stored = hash === undefined ? undefined : parse(hash);
      const { options, salt, key } = stored ?? nobody;
      const given = await derive(password, salt, options);
      return stored !== undefined && given.length === key.length && timingSafeEqual(given, key);
    },
  };
}

function busy(): Refusal {
  return new Refusal('unavailable', 'Too many people sign in at this moment. Try again.', {
    headers: { 'Retry-After': '5' },
  });
}

function deriveKey(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, keyBytes, { ...options, maxmem: maxMemoryBytes }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

type Stored = { options: ScryptOptions; salt: Buffer; key: Buffer };

const nobody: Stored = { options: cost, salt: Buffer.alloc(saltBytes), key: Buffer.alloc(0) };

function parse(hash: string): Stored | undefined {
  const [, N, r, p, salt, key] =
    /^scrypt\$N=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash) ?? [];
  if (!salt || !key) return undefined;
  const options = { N: Number(N), r: Number(r), p: Number(p) };
  return { options, salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') };
}
