import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { createSemaphore } from '@belfry/runtime';
import { type Refusal, refuseFor } from './problem';

export const minPasswordLength = 12;

/** 32 MB and about 150 ms per password, as OWASP recommends for scrypt. */
const defaultCost = { N: 2 ** 15, r: 8, p: 3 };
const keyBytes = 32;
const saltBytes = 16;
const maxMemoryBytes = 64 * 1024 * 1024;
/** Concurrent hashes in each of the two queues. */
const concurrency = 1;
/** About 5 s of waiting; later calls are refused and must retry. */
const maxWaiting = 32;

/** Maximum keys derived per password check: a second one only while old cost parameters are still stored. */
const maxKeys = 2;

export type Passwords = {
  hash(email: string, password: string): Promise<string>;
  /** The operators with a matching password. Takes equally long without operators. */
  findMatching<T extends WithPasswordHash>(
    password: string,
    operators: readonly T[],
    queue?: HashQueue,
  ): Promise<T[]>;
};

type WithPasswordHash = { passwordHash: string };

/** Strangers have a separate queue, so a flood of their sign-ins does not delay others. */
type HashQueue = 'known' | 'stranger';

export type PasswordCost = Required<Pick<ScryptOptions, 'N' | 'r' | 'p'>>;

export type PasswordsDeps = {
  /** The stored salt of an address, or the given one if there is none. */
  readSalt(email: string, salt: Buffer): Promise<Buffer>;
  /** For tests that hash many passwords. */
  cost?: PasswordCost | undefined;
};

/**
 * Passwords are stored as scrypt keys with parameters and salt. All passwords of an address share one salt. Any
 * account owner can add an address, so an address may belong to many accounts. With a salt per account, a sign-in
 * would derive a slow key for each account.
 */
export function createPasswords({ readSalt, cost = defaultCost }: PasswordsDeps): Passwords {
  const queues = { known: createHashQueue(), stranger: createHashQueue() };
  const dummyHash = createDummyHash(cost);

  function derive(
    queue: HashQueue,
    password: string,
    { salt, options }: Parameters,
  ): Promise<Buffer> {
    return queues[queue](() => deriveKey(password.normalize('NFC'), salt, options));
  }

  return {
    async hash(email, password) {
      const salt = await readSalt(email, randomBytes(saltBytes));
      const key = await derive('known', password, { salt, options: cost });
      const parameters = `N=${cost.N},r=${cost.r},p=${cost.p}`;
      return ['scrypt', parameters, salt.toString('base64'), key.toString('base64')].join('$');
    },
    async findMatching(password, operators, queue = 'known') {
      const hashes = operators.map(({ passwordHash }) => parse(passwordHash));
      const usable = hashes.filter((hash) => hash !== undefined);
      const distinct = [...new Map(usable.map((hash) => [hash.prefix, hash])).values()];
      const keys = new Map<string, Buffer>();
      for (const hash of distinct.length > 0 ? distinct : [dummyHash]) {
        if (keys.size === maxKeys) break;
        keys.set(hash.prefix, await derive(queue, password, hash));
      }
      return operators.filter((_, index) => hasMatchingKey(hashes[index], keys));
    },
  };
}

/** Keeps a flood of sign-ins from using all memory or threads. */
function createHashQueue() {
  const slots = createSemaphore(concurrency);
  let waiting = 0;
  return async function run<T>(work: () => Promise<T>): Promise<T> {
    if (waiting >= maxWaiting) throw busy();
    waiting += 1;
    const release = await slots.acquire();
    waiting -= 1;
    try {
      return await work();
    } finally {
      release();
    }
  };
}

function busy(): Refusal {
  return refuseFor(5, 'unavailable', 'Too many passwords are being checked.');
}

function deriveKey(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, keyBytes, { ...options, maxmem: maxMemoryBytes }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

type Parameters = { options: ScryptOptions; salt: Buffer };

/** `prefix` is everything before the key: the derivation parameters. */
type StoredHash = Parameters & { prefix: string; key: Buffer };

function createDummyHash(options: PasswordCost): StoredHash {
  return { prefix: '', options, salt: Buffer.alloc(saltBytes), key: Buffer.alloc(0) };
}

function hasMatchingKey(hash: StoredHash | undefined, keys: ReadonlyMap<string, Buffer>): boolean {
  if (!hash) return false;
  const key = keys.get(hash.prefix);
  return key !== undefined && key.length === hash.key.length && timingSafeEqual(key, hash.key);
}

function parse(hash: string): StoredHash | undefined {
  const [, N, r, p, salt, key] =
    /^scrypt\$N=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash) ?? [];
  if (!salt || !key) return undefined;
  const options = { N: Number(N), r: Number(r), p: Number(p) };
  return {
    prefix: hash.slice(0, -key.length),
    options,
    salt: Buffer.from(salt, 'base64'),
    key: Buffer.from(key, 'base64'),
  };
}
