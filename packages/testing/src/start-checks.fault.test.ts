import { existsSync } from 'node:fs';
import path from 'node:path';
import { createDatabase, migrate } from '@belfry/database';
import { createLogger, createRedis, waitForRedis } from '@belfry/runtime';
import {
  type OwnStore,
  ownPostgres,
  ownRedis,
  startProcess,
  type TestProcess,
  testKeyRing,
} from '@belfry/testing';
import { repositoryRoot } from './test-stores';

jest.setTimeout(120_000);

const migrations = path.join(repositoryRoot, 'prisma', 'migrations');
const log = createLogger({ level: 'error', process: 'test' });
/** From Debian's package `faketime`. Without it these tests would test nothing, so CI fails. */
const faketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const testShifted = existsSync(faketime) || process.env['CI'] === 'true' ? test : test.skip;

const programs = ['apps/api/dist/main.js', 'apps/worker/dist/main.js'];

let postgres: OwnStore;
let redis: OwnStore;
const started: TestProcess[] = [];

beforeAll(async () => {
  [postgres, redis] = await Promise.all([ownPostgres(), ownRedis()]);
});
beforeEach(() => migrate(postgres.url, migrations));
afterEach(() => Promise.all(started.splice(0).map((each) => each.stop('SIGKILL'))));
afterAll(() => Promise.all([postgres.remove(), redis.remove()]));

function start(program: string, env: Record<string, string> = {}): TestProcess {
  const child = startProcess(program, {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    BELFRY_KEYS: testKeyRing,
    PUBLIC_URL: 'http://127.0.0.1',
    API_PORT: '0',
    ...env,
  });
  started.push(child);
  return child;
}

async function query(sql: string): Promise<void> {
  const database = createDatabase({ url: postgres.url, poolSize: 2, log });
  await database.delivery.query(sql).finally(() => database.close());
}

async function setEviction(policy: string): Promise<void> {
  const client = createRedis({ url: redis.url, log });
  await waitForRedis(client, 5_000);
  await client.config('SET', 'maxmemory-policy', policy);
  client.disconnect();
}

/** Asserts that a process exited with 78 and printed the reason. */
async function expectRefused(child: TestProcess, text: string): Promise<void> {
  expect(await child.waitForEnd()).toBe(78);
  expect(child.output.join('\n')).toContain(text);
}

describe.each(programs)('%s', (program) => {
  test('does not start on an outdated schema, and names the command', async () => {
    await query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await expectRefused(start(program), 'npm run db:migrate');
  });

  test('does not start on a newer schema', async () => {
    const name = '99991231000000_come_later';
    await query(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at)
       VALUES ('later', '', '${name}', now())`,
    );
    try {
      await expectRefused(start(program), name);
    } finally {
      await query(`DELETE FROM "_prisma_migrations" WHERE id = 'later'`);
    }
  });

  test('does not start with a key ring that lacks a key', async () => {
    await start(program).waitForLine(program.includes('api') ? 'api.ready' : 'worker.ready');
    const otherRing = `other:${Buffer.alloc(32, 3).toString('base64')}`;
    await expectRefused(start(program, { BELFRY_KEYS: otherRing }), 'the key "test" is missing');
  });

  test('does not start on a Redis that evicts, and names the command', async () => {
    await setEviction('allkeys-lru');
    try {
      await expectRefused(start(program), 'CONFIG SET maxmemory-policy noeviction');
    } finally {
      await setEviction('noeviction');
    }
  });

  test('starts while Redis does not answer, and exits when Redis answers and evicts', async () => {
    await setEviction('allkeys-lru');
    await redis.pause();
    try {
      const child = start(program);
      await child.waitForLine(program.includes('api') ? 'api.ready' : 'worker.ready');
      redis.resume();
      await expectRefused(child, 'CONFIG SET maxmemory-policy noeviction');
    } finally {
      redis.resume();
      await setEviction('noeviction');
    }
  });
});

describe('a clock', () => {
  const shifted = (program: string, shift: string) =>
    start(program, {
      DASHBOARD_PORT: '0',
      LD_PRELOAD: faketime,
      FAKETIME: shift,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });

  testShifted.each([...programs, 'apps/dashboard/dist/server/main.js'])(
    'that is 40 s ahead or behind does not start %s, and the difference is named',
    async (program) => {
      await expectRefused(shifted(program, '+40s'), 's ahead of PostgreSQL');
      await expectRefused(shifted(program, '-40s'), 's behind PostgreSQL');
    },
  );

  testShifted('that is 10 s ahead starts with a warning', async () => {
    const child = shifted('apps/api/dist/main.js', '+10s');
    await child.waitForLine('api.ready');
    const { reason } = await child.waitForLine('start.warning');
    expect(reason).toContain('s ahead of PostgreSQL');
  });
});
