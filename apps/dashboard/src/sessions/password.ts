import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { createSemaphore } from '@belfry/runtime';

export type Passwords = {
  hash(password: string): Promise<string>;
  /** False for a wrong password, and for any where there is no hash: that takes as long. */
  verify(password: string, stored: string | undefined): Promise<boolean>;
};

/** 32 MB and some 100 ms each: what a server with two cores bears, and three passes make up for the memory. */
const cost = { logN: 15, r: 8, p: 3 };
const hashBytes = 32;
const saltBytes = 16;
const maxMemoryBytes = 64 * 1024 * 1024;
/** Each takes a thread and 32 MB. */
const maxAtOnce = 2;

/** Hashes as `scrypt$<logN>$<r>$<p>$<salt>$<hash>`, so that a dearer cost can come later. */
export function createPasswords(): Passwords {
  const turns = createSemaphore(maxAtOnce);

  async function derive(password: string, salt: Buffer, { logN, r, p }: typeof cost) {
    const giveBack = await turns.acquire();
    try {
      const options = { N: 2 ** logN, r, p, maxmem: maxMemoryBytes };
      return await scryptOf(password.normalize('NFKC'), salt, options);
    } finally {
      giveBack();
    }
  }

  return {
    async hash(password) {
      const salt = randomBytes(saltBytes);
      const hash = await derive(password, salt, cost);
      const { logN, r, p } = cost;
      return ['scrypt', logN, r, p, salt.toString('base64'), hash.toString('base64')].join('$');
    },
    async verify(password, stored) {
      const [, logN, r, p, salt, hash] = (stored ?? nobodys).split('$');
      const parameters = { logN: Number(logN), r: Number(r), p: Number(p) };
      const expected = Buffer.from(hash ?? '', 'base64');
      const given = await derive(password, Buffer.from(salt ?? '', 'base64'), parameters);
      return expected.length === given.length && timingSafeEqual(expected, given);
    },
  };
}

/** Of no password: a hash of 32 zeros is never met. */
const nobodys = `scrypt$${cost.logN}$${cost.r}$${cost.p}$${'A'.repeat(22)}==$${'A'.repeat(43)}=`;

function scryptOf(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
