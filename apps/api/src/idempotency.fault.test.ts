import { hash } from 'node:crypto';
import { newId, waitForRedis } from '@belfry/runtime';
import { eventually } from '@belfry/testing';
import {
  type Answer,
  type Gateway,
  startTwoGateways,
  type TwoGateways,
} from './two-gateways.fixture';

jest.setTimeout(120_000);

/** The name of the accepting statement, which every protocol message for it contains. */
const accepts = 'write-requests';
const lockMs = 10_000;

let system: TwoGateways;
let first: Gateway;
let second: Gateway;

beforeAll(async () => {
  system = await startTwoGateways();
  second = await system.startGateway();
});
afterAll(() => system.close());

// Some tests kill the first gateway.
beforeEach(async () => {
  expect(await waitForRedis(system.client, 10_000)).toBe(true);
  first = await system.startGateway();
});
afterEach(async () => {
  await first.process.stop('SIGKILL');
});

const accepted = { status: 200, isReplay: false };
const toReplay = ({ text }: Answer) => ({ status: 200, isReplay: true, text });

/** Retries a call on 409 as a client does, at most for the lifetime of a lock. */
async function retryWhileBusy(key: string): Promise<{ answer: Answer; busy: number }> {
  let busy = 0;
  const answer = await eventually(
    async () => {
      const each = await system.send(second, key);
      if (each.status === 409) busy += 1;
      if (each.status === 409) expect(each.retryAfter).toBe('1');
      expect(each.status).not.toBe(409);
      return each;
    },
    { timeoutMs: lockMs + 5_000, intervalMs: 250 },
  );
  return { answer, busy };
}

function buildRedisKey(key: string): string {
  const { accountId } = system.tenant;
  const keyHash = hash('sha256', `${accountId}:${key}`, 'buffer').toString('base64url');
  return `belfry:idem:{${accountId}}:${keyHash}`;
}

const readEntry = (key: string) => system.client.get(buildRedisKey(key));

async function findRequestId(key: string): Promise<string> {
  const where = { idempotencyKey: key };
  return (await system.database.prisma.request.findFirstOrThrow({ where })).id;
}

const committed = (key: string) =>
  eventually(async () => expect(await system.countRequests(key)).toBe(1));

/** A call to a gateway that dies gets no response. */
const lost = (sent: Promise<Answer>) => expect(sent).rejects.toThrow();

describe('a gateway that is killed', () => {
  test('after `begin` and before the commit leaves a key that is accepted once its lock expires', async () => {
    const key = newId();
    const interception = first.postgres.intercept('request', accepts);
    const sent = lost(system.send(first, key));
    await interception.reached;
    await first.process.stop('SIGKILL');
    interception.drop();
    await sent;
    const { answer, busy } = await retryWhileBusy(key);
    expect(busy).toBeGreaterThan(0);
    expect(answer).toMatchObject(accepted);
    expect(await system.countRequests(key)).toBe(1);
  });

  test('after the commit and before `finish` leaves a key that replays at once', async () => {
    const key = newId();
    const interception = first.postgres.intercept('answer_to', accepts);
    const sent = lost(system.send(first, key));
    await committed(key);
    await first.process.stop('SIGKILL');
    interception.drop();
    await sent;
    const again = await system.send(second, key);
    expect(again).toMatchObject({ status: 200, isReplay: true });
    expect(JSON.parse(again.text).request_id).toBe(await findRequestId(key));
    // The first retry restored the entry in Redis.
    await eventually(async () => expect(await readEntry(key)).toMatch(/^D/));
    expect(await system.countRequests(key)).toBe(1);
  });

  test('after `finish` leaves a key that replays from Redis', async () => {
    const key = newId();
    const answer = await system.send(first, key);
    await eventually(async () => expect(await readEntry(key)).toMatch(/^D/));
    await first.process.stop('SIGKILL');
    expect(await system.send(second, key)).toMatchObject(toReplay(answer));
    expect(await system.countRequests(key)).toBe(1);
  });
});

describe('Redis that loses its data', () => {
  const forget: [string, () => Promise<unknown>][] = [
    ['is flushed', () => system.client.flushall()],
    [
      'restarts empty, as after a failover that lost the lock',
      async () => {
        await system.redis.kill();
        await system.redis.start();
        await waitForRedis(system.client, 10_000);
      },
    ],
  ];

  test.each(forget)(
    'while a key is locked causes no second acceptance (Redis %s)',
    async (_how, lose) => {
      const key = newId();
      const interception = first.postgres.intercept('request', accepts);
      const stale = system.send(first, key);
      await interception.reached;
      await lose();
      const winner = await system.send(second, key);
      expect(winner).toMatchObject(accepted);
      interception.pass();
      expect(await stale).toMatchObject(toReplay(winner));
      expect(await system.countRequests(key)).toBe(1);
    },
  );

  test.each(forget)(
    'after a key is done causes a replay from PostgreSQL and restores the entry (Redis %s)',
    async (_how, lose) => {
      const key = newId();
      const answer = await system.send(first, key);
      await lose();
      // A gateway that has not reconnected to Redis yet replays too.
      await eventually(async () => {
        expect(await system.send(second, key)).toMatchObject(toReplay(answer));
        expect(await readEntry(key)).toMatch(/^D/);
      });
      const mismatch = await system.send(second, key, { other: true });
      expect(mismatch.status).toBe(422);
      expect(await system.countRequests(key)).toBe(1);
    },
  );

  test('by evicting or expiring a key still replays while PostgreSQL keeps the key', async () => {
    const key = newId();
    const answer = await system.send(first, key);
    await eventually(async () => expect(await readEntry(key)).toMatch(/^D/));
    expect(await system.client.del(buildRedisKey(key))).toBe(1);
    expect(await system.send(second, key)).toMatchObject(toReplay(answer));
  });

  test('between the commit and `finish` gets the result again after the response', async () => {
    const key = newId();
    const interception = first.postgres.intercept('answer_to', accepts);
    const sent = system.send(first, key);
    await committed(key);
    await system.client.flushall();
    interception.pass();
    const answer = await sent;
    expect(answer).toMatchObject(accepted);
    await eventually(async () => expect(await readEntry(key)).toMatch(/^D/));
    expect(await system.send(second, key)).toMatchObject(toReplay(answer));
  });
});

describe('a gateway that is paused longer than its lock lives', () => {
  test('before its write returns the result of the gateway that replaced it', async () => {
    const key = newId();
    const interception = first.redis.intercept('answer_to', buildRedisKey(key));
    const stale = system.send(first, key);
    await interception.reached;
    first.process.signal('SIGSTOP');
    await eventually(async () => expect(await readEntry(key)).toMatch(/^L/));
    expect(await system.countRequests(key)).toBe(0);
    const { answer: winner, busy } = await retryWhileBusy(key);
    expect(busy).toBeGreaterThan(0);
    expect(winner).toMatchObject(accepted);
    interception.pass();
    first.process.signal('SIGCONT');
    expect(await stale).toMatchObject(toReplay(winner));
    expect(await system.countRequests(key)).toBe(1);
  });

  test('with its statement in flight writes nothing when it arrives, and asks its caller to retry', async () => {
    const key = newId();
    const interception = first.postgres.intercept('request', accepts);
    const stale = system.send(first, key);
    await interception.reached;
    first.process.signal('SIGSTOP');
    const { answer: winner } = await retryWhileBusy(key);
    interception.pass();
    first.process.signal('SIGCONT');
    expect(await stale).toMatchObject({ status: 503, retryAfter: '2' });
    expect(await system.send(first, key)).toMatchObject(toReplay(winner));
    expect(await system.countRequests(key)).toBe(1);
  });
});

describe('two gateways in the same millisecond', () => {
  async function race(key: string): Promise<Answer[]> {
    return Promise.all([first, second, first, second].map((each) => system.send(each, key)));
  }

  test('accept a key once, and the others get its response or 409', async () => {
    for (let round = 0; round < 25; round += 1) {
      const key = newId();
      const answers = await race(key);
      const won = answers.filter(({ status, isReplay }) => status === 200 && !isReplay);
      expect(won).toHaveLength(1);
      for (const { status, text, isReplay } of answers) {
        if (status === 409) continue;
        expect({ status, text }).toEqual({ status: 200, text: won[0]?.text });
        expect(isReplay || text === won[0]?.text).toBe(true);
      }
      expect(await system.countRequests(key)).toBe(1);
    }
  });

  test('without Redis accept a key once, and the others get its response', async () => {
    await system.redis.kill();
    try {
      for (let round = 0; round < 25; round += 1) {
        const key = newId();
        const answers = await race(key);
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        expect(answers.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
        expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
        expect(await system.countRequests(key)).toBe(1);
      }
    } finally {
      await system.redis.start();
    }
  });
});

describe('Redis unavailable', () => {
  test('requests are still accepted', async () => {
    await system.redis.kill();
    try {
      const key = newId();
      const answer = await system.send(first, key);
      expect(answer).toMatchObject(accepted);
      expect(await system.send(second, key)).toMatchObject(toReplay(answer));
      expect((await system.send(second, key, { other: true })).status).toBe(422);
      expect(await system.send(first, undefined)).toMatchObject(accepted);
      expect(await system.countRequests(key)).toBe(1);
    } finally {
      await system.redis.start();
    }
  });

  test('or slower than 250 ms: a call waits no longer for it', async () => {
    await system.redis.pause();
    try {
      const key = newId();
      const begunAt = performance.now();
      const answer = await system.send(first, key);
      expect(answer).toMatchObject(accepted);
      expect(await system.send(first, key)).toMatchObject(toReplay(answer));
      // Two calls with one wait of 250 ms each, and a threefold margin.
      expect(performance.now() - begunAt).toBeLessThan(1_500);
      expect(await system.countRequests(key)).toBe(1);
    } finally {
      system.redis.resume();
    }
  });

  test('and available again: the scripts are loaded again', async () => {
    await system.redis.kill();
    await system.redis.start();
    await waitForRedis(system.client, 10_000);
    await eventually(async () => {
      const key = newId();
      await system.send(second, key);
      await eventually(async () => expect(await readEntry(key)).toMatch(/^D/), { timeoutMs: 500 });
    });
  });
});

describe('PostgreSQL unavailable', () => {
  test('returns 503 with Retry-After, stores nothing, and frees the key at once', async () => {
    const key = newId();
    await system.postgres.stop();
    let away: Answer;
    try {
      away = await system.send(second, key);
    } finally {
      await system.postgres.start();
    }
    expect(away).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^[12]$/) });
    expect(await readEntry(key)).toBeNull();
    const answer = await eventually(async () => {
      const each = await system.send(second, key);
      expect(each.status).not.toBe(503);
      return each;
    });
    expect(answer).toMatchObject(accepted);
    expect(await system.countRequests(key)).toBe(1);
  });

  test('when killed before it received the statement: 503, then a first acceptance', async () => {
    const key = newId();
    const interception = second.postgres.intercept('request', accepts);
    const sent = system.send(second, key);
    await interception.reached;
    await system.postgres.kill();
    interception.drop();
    expect(await sent).toMatchObject({ status: 503, retryAfter: '2' });
    await system.postgres.start();
    const { answer } = await retryUntilUp(key);
    expect(answer).toMatchObject(accepted);
    expect(await system.countRequests(key)).toBe(1);
  });

  test('when killed after the commit: 503, then a replay', async () => {
    const key = newId();
    const interception = second.postgres.intercept('answer_to', accepts);
    const sent = system.send(second, key);
    await committed(key);
    await system.postgres.kill();
    interception.drop();
    expect(await sent).toMatchObject({ status: 503, retryAfter: '2' });
    await system.postgres.start();
    const { answer, statuses } = await retryUntilUp(key);
    expect(statuses).not.toContain(409);
    expect(answer).toMatchObject({ status: 200, isReplay: true });
    expect(JSON.parse(answer.text).request_id).toBe(await findRequestId(key));
    expect(await system.countRequests(key)).toBe(1);
  });

  async function retryUntilUp(key: string): Promise<{ answer: Answer; statuses: number[] }> {
    const statuses: number[] = [];
    const answer = await eventually(
      async () => {
        const each = await system.send(second, key);
        statuses.push(each.status);
        expect(each.status).toBe(200);
        return each;
      },
      { timeoutMs: lockMs + 10_000, intervalMs: 250 },
    );
    return { answer, statuses };
  }
});

describe('a broken connection to PostgreSQL', () => {
  test.each([
    ['before PostgreSQL saw it', 'request', 0],
    ['after PostgreSQL committed it', 'answer_to', 1],
  ] as const)(
    'a flush whose connection breaks accepts no request without a key twice: %s',
    async (_when, direction, rowsOfLost) => {
      const interception = first.postgres.intercept(direction, accepts);
      const marks = Array.from({ length: 20 }, () => newId());
      const sent = marks.map((mark) => system.send(first, undefined, { mark }));
      await interception.reached;
      await eventually(async () =>
        expect(await countAll(marks)).toBeGreaterThanOrEqual(rowsOfLost),
      );
      interception.drop();
      const answers = await Promise.all(sent);
      const rows = await Promise.all(marks.map(countMarked));
      const outcomes = answers.map(({ status, retryAfter }, index) => ({
        status,
        retryAfter,
        rows: rows[index],
      }));
      const lostOnes = outcomes.filter(({ status }) => status !== 200);
      expect(lostOnes.length).toBeGreaterThan(0);
      for (const each of outcomes) {
        expect([
          { status: 200, retryAfter: null, rows: 1 },
          { status: 503, retryAfter: '2', rows: rowsOfLost },
        ]).toContainEqual(each);
      }
    },
  );

  async function countAll(marks: string[]): Promise<number> {
    const counts = await Promise.all(marks.map(countMarked));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  function countMarked(mark: string): Promise<number> {
    return system.database.prisma.requestItem.count({ where: { data: JSON.stringify({ mark }) } });
  }
});
