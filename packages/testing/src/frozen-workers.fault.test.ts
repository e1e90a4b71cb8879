import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '@belfry/database';
import {
  channelVersion,
  createSlackSimulator,
  eventually,
  type MessageRow,
  type OwnStore,
  ownPostgres,
  ownRedis,
  type SlackSimulator,
  type System,
  startSystem,
  type TestProcess,
} from '@belfry/testing';
import { repositoryRoot } from './test-stores';

jest.setTimeout(180_000);

const deadlineMs = 6_000;
/** See `getLeaseMs` of the worker. */
const leaseMs = deadlineMs + 5_000;

let postgres: OwnStore;
let redis: OwnStore;
let slack: SlackSimulator;
let system: System;

beforeEach(async () => {
  [postgres, redis] = await Promise.all([ownPostgres(), ownRedis()]);
  await migrate(postgres.url, path.join(repositoryRoot, 'prisma', 'migrations'));
  slack = await createSlackSimulator();
  system = await startSystem({
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    workers: ['relay'],
    env: { SLACK_API_URL: slack.url, SEND_TIMEOUT_MS: String(deadlineMs) },
  });
}, 180_000);

afterEach(async () => {
  await system.stop();
  await slack.close();
  await Promise.all([postgres.remove(), redis.remove()]);
}, 120_000);

/** Creates a message that waits for a worker; returns its request ID. */
async function accept(): Promise<string> {
  const tenant = await system.factories.createTenant({ delivery: 'live' });
  const integration = await system.factories.createIntegration(tenant, {
    channel: 'slack',
    provider: 'slack',
    credentials: { access_token: 'xoxb-1111-2222-integration' },
  });
  const { name } = await system.factories.createEvent(tenant, {
    slack: channelVersion({ text: 'Hello' }, { integrationIds: [integration.id] }),
  });
  const user = { slack: { channel_id: 'C0WORKERFROZEN' } };
  const { body } = await system.send(tenant, { event: name, user });
  return String(body.request_id);
}

async function readUntil(
  requestId: string,
  check: (message: MessageRow | undefined) => void,
): Promise<MessageRow> {
  return eventually(
    async () => {
      const [message] = await system.readMessages(requestId);
      check(message);
      if (!message) throw new Error('No message was found');
      return message;
    },
    { timeoutMs: 60_000 },
  );
}

const isSending = (message: MessageRow | undefined) => expect(message?.state).toBe('sending');
const isSent = (message: MessageRow | undefined) => expect(message?.state).toBe('sent');

/** Starts a worker that claims and then waits for the message's app, and freezes it there. */
async function freezeBeforeLastCheck(requestId: string): Promise<TestProcess> {
  const lockingClient = await system.database.delivery.connect();
  try {
    await lockingClient.query('BEGIN');
    await lockingClient.query('LOCK TABLE app IN ACCESS EXCLUSIVE MODE');
    const worker = await system.startWorker('deliver-slack');
    await readUntil(requestId, isSending);
    worker.signal('SIGSTOP');
    await lockingClient.query('ROLLBACK');
    return worker;
  } finally {
    lockingClient.release();
  }
}

/** Starts a worker whose provider receives a call and does not answer, and freezes it there. */
async function freezeWithinCall(): Promise<TestProcess> {
  slack.fail({ on: 'chat.postMessage', hang: true });
  const worker = await system.startWorker('deliver-slack');
  await eventually(() => expect(slack.sends).toHaveLength(1), { timeoutMs: 30_000 });
  worker.signal('SIGSTOP');
  return worker;
}

/** More time than the resumed worker needs. */
const wakingMs = 3_000;

/** The margin of a lease over a deadline, and less than the longest look-up. */
const tooLateMs = 6_500;

describe('a worker that is frozen between claim and call', () => {
  test('does not call if it resumes with less than a full deadline left, and the message continues', async () => {
    const requestId = await accept();
    const frozen = await freezeBeforeLastCheck(requestId);
    await sleep(tooLateMs);
    frozen.signal('SIGCONT');
    const { attemptRows } = await readUntil(requestId, isSent);
    expect(attemptRows).toMatchObject([
      { number: 1, outcome: 'accepted', isPossibleDuplicate: false },
    ]);
    expect(slack.requests).toHaveLength(1);
  });
});

describe('a worker that is frozen within the call', () => {
  test('may have sent, so the message continues and is marked as a possible duplicate', async () => {
    const requestId = await accept();
    const frozen = await freezeWithinCall();
    await system.startWorker('deliver-slack');
    await readUntil(requestId, isSent);
    frozen.signal('SIGCONT');
    await sleep(wakingMs);
    expect(slack.sends).toHaveLength(2);
    const { attemptRows, unknownCount } = await readUntil(requestId, isSent);
    expect(attemptRows).toMatchObject([
      { number: 1, outcome: 'unknown', isPossibleDuplicate: false },
      { number: 2, outcome: 'accepted', isPossibleDuplicate: true },
    ]);
    expect(unknownCount).toBe(1);
  });
});

/** Time from the message's first attempt to the next. */
async function readDelayMs(requestId: string): Promise<number> {
  const { attemptRows } = await readUntil(requestId, isSent);
  expect(attemptRows).toMatchObject([{ reason: 'lease_expired' }, { outcome: 'accepted' }]);
  const [first, second] = attemptRows.map(({ openedAt }) => openedAt.getTime());
  return Number(second) - Number(first);
}

describe('a worker that is killed', () => {
  test('delays its message by no more than the lease and 5 s', async () => {
    const requestId = await accept();
    const worker = await freezeWithinCall();
    await system.startWorker('deliver-slack');
    await worker.stop('SIGKILL');
    expect(await readDelayMs(requestId)).toBeLessThanOrEqual(leaseMs + 5_000);
  });

  test('has the same limit if it was also the relay and the only one', async () => {
    const requestId = await accept();
    await system.workers[0]?.stop('SIGKILL');
    slack.fail({ on: 'chat.postMessage', hang: true });
    const worker = await system.startWorker('all');
    await eventually(() => expect(slack.sends).toHaveLength(1), { timeoutMs: 30_000 });
    await worker.stop('SIGKILL');
    // A relay that counted leases from its own start would fail here.
    await sleep(leaseMs / 2);
    await system.startWorker('all');
    expect(await readDelayMs(requestId)).toBeLessThanOrEqual(leaseMs + 5_000);
  });

  test('has the same limit while PostgreSQL repeatedly ends connections', async () => {
    const requestId = await accept();
    const worker = await freezeWithinCall();
    await system.startWorker('deliver-slack');
    await worker.stop('SIGKILL');
    const delay = readDelayMs(requestId);
    const cutting = cutBackendsUntil(delay);
    expect(await delay).toBeLessThanOrEqual(leaseMs + 5_000);
    expect(await cutting).toBeGreaterThan(leaseMs / cutEveryMs / 2);
  });
});

const cutEveryMs = 1_500;

/** Ends every connection but our own, every 1.5 s; returns how often. */
async function cutBackendsUntil(end: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  void end.then(over, over);
  let times = 0;
  while (!isOver) {
    await system.database.delivery.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    times += 1;
    await sleep(cutEveryMs);
  }
  return times;
}
