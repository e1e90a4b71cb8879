import crypto from 'node:crypto';
import { createPasswords } from './password';

afterEach(() => jest.restoreAllMocks());

test('a flood of sign-ins by strangers is bounded and does not delay known browsers', async () => {
  const pendingCalls: (() => void)[] = [];
  const fakeScrypt = (...args: unknown[]) => {
    const callback = args.at(-1) as (error: Error | null, key: Buffer) => void;
    pendingCalls.push(() => callback(null, Buffer.alloc(32)));
  };
  jest.spyOn(crypto, 'scrypt').mockImplementation(fakeScrypt as never);
  const passwords = createPasswords({ readSalt: async (_email, salt) => salt });
  const strangers = Array.from({ length: 40 }, () =>
    passwords.findMatching('a guess', [], 'stranger').catch(({ code }) => code),
  );
  const operatorSignIn = passwords.findMatching('a password', [], 'known');
  await new Promise(setImmediate);
  expect(pendingCalls).toHaveLength(2);
  pendingCalls[1]?.();
  expect(await operatorSignIn).toEqual([]);
  const refusals = await Promise.all(strangers.slice(32));
  expect(refusals).toEqual(Array(8).fill('unavailable'));
  for (let at = 0; at < 33; at += 1) {
    if (at !== 1) pendingCalls[at]?.();
    await new Promise(setImmediate);
  }
  expect(await Promise.all(strangers.slice(0, 32))).toEqual(Array(32).fill([]));
});

test('a password matches only its own hash, in any Unicode form', async () => {
  const salts = new Map<string, Buffer>();
  const readSalt = async (email: string, salt: Buffer) => {
    salts.set(email, salts.get(email) ?? salt);
    return salts.get(email) ?? salt;
  };
  const passwords = createPasswords({ readSalt });
  const hashed = async (email: string, password: string) => {
    return { passwordHash: await passwords.hash(email, password) };
  };
  const [ana, again] = [await hashed('ana', 'pässwörter'), await hashed('ana', 'another one')];
  const invalidOperator = { passwordHash: 'no hash' };
  const operators = [invalidOperator, ana, again, { passwordHash: '' }];
  expect(await passwords.findMatching('pa\u0308sswo\u0308rter', operators)).toEqual([ana]);
  expect(await passwords.findMatching('another one', operators)).toEqual([again]);
  expect(await passwords.findMatching('', operators)).toEqual([]);
  expect(await passwords.findMatching('no hash', [invalidOperator])).toEqual([]);
});

test('a hash takes the memory and time that OWASP recommends', async () => {
  const passwords = createPasswords({ readSalt: async (_email, salt) => salt });
  expect(await passwords.hash('ana', 'a password')).toMatch(/^scrypt\$N=32768,r=8,p=3\$/);
});
