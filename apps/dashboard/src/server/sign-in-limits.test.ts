import { createSecrets } from '@belfry/runtime';
import { testKeyRing } from '@belfry/testing';
import type { Request, Response } from 'express';
import { createDevices } from './devices';
import { createSignInLimits } from './sign-in-limits';

const connections = { isHttps: () => false, getClientNetwork: (req: Request) => String(req.ip) };
const victim = { id: 'victim' };
const address = 'ana@example.com';

/** Limits with a fake clock. */
function setUp(ring = testKeyRing) {
  const clock = { ms: 0 };
  const devices = createDevices({ secrets: createSecrets(ring), connections });
  const limits = createSignInLimits({ devices, connections, now: () => clock.ms });

  /** Seconds to wait, or the number of operators that may be checked. */
  function attempt(req: Request, operators: { id: string }[], to = address) {
    try {
      return limits.begin(req, to, operators);
    } catch (error) {
      return (error as { headers: Record<string, string> }).headers['Retry-After'];
    }
  }

  /** The device cookie that a browser gets at sign-in. */
  function cookieFor(operatorId: string): string {
    let header = '';
    const cookie = (name: string, value: string) => (header = `${name}=${value}`);
    devices.remember(request(''), { cookie } as unknown as Response, operatorId);
    return header;
  }
  /** Seconds to wait, or the function to call if the code is right. */
  function attemptCode(req: Request) {
    try {
      return limits.beginCode(req, victim.id);
    } catch (error) {
      return (error as { headers: Record<string, string> }).headers['Retry-After'];
    }
  }
  return { clock, attempt, attemptCode, cookieFor };
}

function request(cookie: string, ip = '203.0.113.7'): Request {
  return { ip, headers: { cookie } } as unknown as Request;
}

describe('guessing by strangers', () => {
  test('is limited per address and network: a burst of ten, then one per 90 s', () => {
    const { clock, attempt } = setUp();
    const answers = Array.from({ length: 12 }, () => attempt(request(''), [victim]));
    expect(answers.slice(10)).toEqual(['90', '90']);
    expect(answers.slice(0, 10)).not.toContain('90');
    expect(attempt(request('', '198.51.100.1'), [victim])).toMatchObject({ isKnown: false });
    clock.ms = 90_000;
    expect(attempt(request(''), [victim])).toMatchObject({ operators: [victim] });
  });

  test('is limited per network for all addresses: a burst of 50, then one per 18 s', () => {
    const { attempt } = setUp();
    const answers = Array.from({ length: 52 }, (_, at) =>
      attempt(request(''), [], `${at}@x.example`),
    );
    expect(answers.slice(50)).toEqual(['18', '18']);
  });

  test('does not lock out a known browser', () => {
    const { attempt, cookieFor } = setUp();
    const cookie = cookieFor(victim.id);
    for (let at = 0; at < 60; at += 1) attempt(request(''), [victim], `${at}@x.example`);
    for (let at = 0; at < 60; at += 1) attempt(request(''), [victim]);
    expect(attempt(request(''), [victim])).toEqual(expect.any(String));
    const result = attempt(request(cookie), [victim]);
    expect(result).toMatchObject({ isKnown: true, operators: [victim] });
  });

  test.each([
    ['another operator’s cookie', (own: string) => own.replaceAll('mallory', 'victim')],
    ['a forged signature', () => `belfry_device_victim=${'a'.repeat(22)}.${'b'.repeat(43)}`],
    ['a cookie without a signature', () => `belfry_device_victim=${'a'.repeat(22)}`],
    ['two cookies', (own: string) => `${own}; ${own}`],
  ])('is not extended by %s', (_what, forge) => {
    const { attempt, cookieFor } = setUp();
    const cookie = forge(cookieFor('mallory'));
    for (let at = 0; at < 10; at += 1) attempt(request(''), [victim]);
    expect(attempt(request(cookie), [victim])).toBe('90');
  });

  test('is not extended by an operator with the same address in another account', () => {
    const { attempt, cookieFor } = setUp();
    const own = { id: 'mallory' };
    /** How often the victim's password is checked while the attacker signs in with their own each time. */
    const countJudged = (makeRequest: () => Request) => {
      const attempts = Array.from({ length: 100 }, () => {
        const result = attempt(makeRequest(), [victim, own]);
        if (typeof result !== 'object') return [];
        result.succeed([own]);
        return result.operators;
      });
      return attempts.filter((operators) => operators.includes(victim)).length;
    };
    expect(countJudged(() => request(cookieFor(own.id)))).toBe(10);
    expect(countJudged(() => request('', '198.51.100.1'))).toBe(10);
  });
});

describe('a known browser', () => {
  test('has its own burst of ten attempts, restored after a success', () => {
    const { attempt, cookieFor } = setUp();
    const cookie = cookieFor(victim.id);
    for (let at = 0; at < 9; at += 1) attempt(request(cookie), [victim]);
    const right = attempt(request(cookie), [victim]);
    if (typeof right !== 'object') throw new Error('The tenth attempt has to wait');
    right.succeed([victim]);
    const answers = Array.from({ length: 11 }, () => attempt(request(cookie), [victim]));
    expect(answers.indexOf('90')).toBe(10);
  });

  test('stays known after a rotation of the key ring', () => {
    const cookie = setUp().cookieFor(victim.id);
    const newKey = Buffer.alloc(32, 8).toString('base64');
    const rotated = setUp(`new:${newKey},${testKeyRing}`);
    expect(rotated.attempt(request(cookie), [victim])).toMatchObject({ isKnown: true });
    const another = setUp(`new:${newKey}`);
    expect(another.attempt(request(cookie), [victim])).toMatchObject({ isKnown: false });
  });
});

test('an operator who signs in correctly from new browsers never has to wait', () => {
  const { attempt } = setUp();
  for (let at = 0; at < 100; at += 1) {
    const result = attempt(request(''), [victim]);
    if (typeof result !== 'object') throw new Error(`Attempt ${at} has to wait`);
    result.succeed([victim]);
  }
});

describe('codes', () => {
  const attempts = (attemptCode: (index: number) => unknown, count: number) =>
    Array.from({ length: count }, (_, index) => attemptCode(index));

  test('are limited per operator from all networks: a burst of ten, then one per 15 min', () => {
    const { clock, attemptCode } = setUp();
    const fromAnywhere = (host: number) => attemptCode(request('', `203.0.113.${host}`));
    expect(attempts(fromAnywhere, 12).slice(10)).toEqual(['900', '900']);
    clock.ms = 900_000;
    expect(attempts(fromAnywhere, 2)).toEqual([expect.any(Function), '900']);
  });

  test('that are right do not allow a stranger more guesses', () => {
    const { attemptCode } = setUp();
    attempts(() => attemptCode(request('')), 9);
    const right = attemptCode(request(''));
    if (typeof right !== 'function') throw new Error('The tenth attempt has to wait');
    right();
    expect(attempts(() => attemptCode(request('')), 2)).toEqual([expect.any(Function), '900']);
  });

  test('of a known browser are counted apart, and a right one restores its burst', () => {
    const { attemptCode, cookieFor } = setUp();
    const knownBrowser = request(cookieFor(victim.id));
    attempts(() => attemptCode(request('')), 12);
    attempts(() => attemptCode(knownBrowser), 9);
    const right = attemptCode(knownBrowser);
    if (typeof right !== 'function') throw new Error('The tenth attempt has to wait');
    right();
    expect(attempts(() => attemptCode(knownBrowser), 11).indexOf('900')).toBe(10);
  });
});
