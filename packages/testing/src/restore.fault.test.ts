import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { migrate } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createSlackSimulator,
  eventually,
  type OwnStore,
  ownRedis,
  type SlackSimulator,
  type System,
  startSystem,
  type Tenant,
  testKeyRing,
} from '@belfry/testing';
import { type ArchivingPostgres, startArchivingPostgres } from './archiving-postgres';
import { asPostgres, binaries, hasDebianPostgres, query } from './debian-postgres';
import { readShellBlocks } from './shell-blocks';
import { repositoryRoot } from './test-stores';

// Minutes on a busy machine: hundreds of sends, a pause, and the wait for a minute of progress.
jest.setTimeout(900_000);

// Without the packages these tests would test nothing, so CI fails.
const describeServers =
  hasDebianPostgres || process.env['CI'] === 'true' ? describe : describe.skip;

const run = promisify(execFile);
const migrations = path.join(repositoryRoot, 'prisma', 'migrations');
const blocks = readShellBlocks('docs/how-to/back-up-and-restore.md');

const env = { REDIS_PREFIX: 'belfry', RETRY_BASE_MS: '20', RELAY_REQUEUE_AFTER_MS: '500' };
const sendersAtOnce = 6;
/** The provider is slow, so that messages are waiting and being sent at each moment. */
const slow = { on: 'chat.postMessage', slowMs: 100 } as const;
/** Longer than a backup takes, and shorter than the test waits for the end of all messages. */
const scheduledAfterMs = 30_000;

let postgres: ArchivingPostgres;
let redis: OwnStore;
let slack: SlackSimulator;
let running: System | undefined;

beforeEach(async () => {
  postgres = await startArchivingPostgres();
  redis = await ownRedis();
  slack = await createSlackSimulator();
  await migrate(postgres.url, migrations);
}, 120_000);

afterEach(async () => {
  await stopSystem();
  await Promise.all([slack.close(), postgres.remove(), redis.remove()]);
}, 120_000);

async function startOn(databaseUrl: string): Promise<System> {
  running = await startSystem({
    databaseUrl,
    redisUrl: redis.url,
    workers: ['all'],
    env: { ...env, SLACK_API_URL: slack.url },
  });
  return running;
}

async function stopSystem(): Promise<void> {
  await running?.stop();
  running = undefined;
}

/** Runs a block of the how-to in the archive's folder, as the user of the servers. */
async function runBlock(heading: string, databaseUrl: string, more: Record<string, string> = {}) {
  const cli = path.join(repositoryRoot, 'apps/cli/dist/main.js');
  // The CLI runs as root: a clone need not be readable for other users.
  const isCli = (line: string) => line.startsWith('belfry ');
  const lines = String(blocks.get(heading)).trimEnd().split('\n');
  const stores = { DATABASE_URL: databaseUrl, REDIS_URL: redis.url, BELFRY_KEYS: testKeyRing };
  const { data: PGDATA, archive: ARCHIVE, backup: BACKUP } = postgres.folders;
  const options = {
    cwd: ARCHIVE,
    env: {
      ...{ PATH: `${binaries}:${process.env['PATH']}`, ...stores, ...env },
      ...{ PGDATA, ARCHIVE, BACKUP, ...more },
    },
  };
  const tools = lines.filter((line) => !isCli(line)).join('\n');
  if (tools !== '') {
    await run('setpriv', [...asPostgres, 'bash', '-euo', 'pipefail', '-c', tools], options);
  }
  const printed: string[] = [];
  for (const line of lines.filter(isCli)) {
    const { stdout } = await run(process.execPath, [cli, ...line.split(' ').slice(1)], options);
    printed.push(stdout);
  }
  return printed.join('');
}

type World = { tenant: Tenant; event: string };

async function createWorld(system: System): Promise<World> {
  const tenant = await system.factories.createTenant({ delivery: 'live' });
  const integration = await system.factories.createIntegration(tenant, {
    channel: 'slack',
    provider: 'slack',
    credentials: { access_token: 'xoxb-1111-2222-integration' },
  });
  const event = await system.factories.createEvent(tenant, {
    slack: channelVersion({ text: 'Hello' }, { integrationIds: [integration.id] }),
  });
  return { tenant, event: event.name };
}

function send(system: System, { tenant, event }: World, key: string, schedule?: string) {
  const user = { slack: { channel_id: 'C0RESTORED' } };
  const body = { event, user, ...(schedule !== undefined && { schedule_at: schedule }) };
  return system.send(tenant, body, { 'Idempotency-Key': key });
}

/** Sends under load until `work` is done and as many calls again were accepted. Returns the request of each key. */
async function sendDuring(system: System, world: World, work: () => Promise<unknown>) {
  const accepted = new Map<string, string>();
  let isEnding = false;
  async function sendOn(): Promise<void> {
    while (!isEnding) {
      slack.fail(slow);
      const key = newId();
      const { status, body } = await send(system, world, key);
      if (status === 200) accepted.set(key, String(body.request_id));
      await sleep(10);
    }
  }
  const senders = Array.from({ length: sendersAtOnce }, sendOn);
  const more = (count: number) =>
    eventually(() => expect(accepted.size).toBeGreaterThan(count), { timeoutMs: 60_000 });
  try {
    await more(200);
    await scheduleSends(system, world);
    await work();
    await more(accepted.size + 200);
  } finally {
    isEnding = true;
    await Promise.all(senders);
  }
  return accepted;
}

/** So that some messages wait in every backup: a quick machine may have sent all others at its moment. */
async function scheduleSends(system: System, world: World): Promise<void> {
  const schedule = new Date(Date.now() + scheduledAfterMs).toISOString();
  for (let count = 0; count < 10; count += 1) {
    expect(await send(system, world, newId(), schedule)).toMatchObject({ status: 200 });
  }
}

type BackedUp = { id: string; state: string; attempts: number };

const readBackup = (url: string) =>
  query<BackedUp>(url, 'SELECT id, state, attempts FROM message ORDER BY id');

function countCalls(): Map<string, number> {
  const calls = new Map<string, number>();
  for (const { messageId = '' } of slack.sends)
    calls.set(messageId, (calls.get(messageId) ?? 0) + 1);
  return calls;
}

/** Everything that runs says that it is paused, and nothing is sent or accepted. */
async function expectPaused(system: System, world: World, reason: string): Promise<void> {
  for (const process of [system.api, ...system.workers]) {
    expect(await process.waitForLine('installation.paused')).toMatchObject({ reason });
  }
  const refused = await send(system, world, newId());
  expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  // A call in flight may end first. Messages that the backup held as being sent keep their state, so states prove nothing.
  await eventually(
    async () => {
      const before = await countTries(system);
      await sleep(quietMs);
      expect(await countTries(system)).toEqual(before);
    },
    { timeoutMs: 30_000 },
  );
}

/** Longer than a claim waits for its batch, and a call of the provider. */
const quietMs = 2_000;

/** Claims and calls so far. */
async function countTries({ databaseUrl }: System) {
  const [row] = await query<{ attempts: number }>(
    databaseUrl,
    'SELECT coalesce(sum(attempts), 0)::int AS attempts FROM message',
  );
  return { attempts: row?.attempts, calls: slack.sends.length };
}

/** Confirms, and waits until every message of the backup is final. */
async function confirmAndSettle(system: System): Promise<void> {
  await runBlock('Check and confirm', system.databaseUrl);
  await eventually(
    async () => {
      const open = { in: ['queued', 'sending'] };
      expect(await system.database.prisma.message.count({ where: { state: open } })).toBe(0);
    },
    { timeoutMs: 120_000 },
  );
}

/** Compares the calls of the provider since the restore with the states in the backup. */
function expectNothingLostOrRepeated(backup: BackedUp[], before: Map<string, number>): void {
  const after = countCalls();
  const calls = ({ id }: BackedUp) => (after.get(id) ?? 0) - (before.get(id) ?? 0);
  const having = (state: string) => backup.filter((message) => message.state === state);
  const counts = ['sent', 'queued', 'sending'].map((state) => [state, having(state).length]);
  process.stdout.write(`The backup held ${counts.flat().join(' ')}.\n`);
  expect(having('sent').length).toBeGreaterThan(0);
  expect(having('queued').length).toBeGreaterThan(0);
  expect(having('sent').filter((message) => calls(message) !== 0)).toEqual([]);
  expect(having('queued').filter((message) => calls(message) !== 1)).toEqual([]);
  expect(having('sending').filter((message) => calls(message) > 1)).toEqual([]);
}

describeServers('a dump that was taken under load', () => {
  test.each([
    ['the newer', 'the same', () => Promise.resolve()],
    ['an emptied', 'another', () => emptyRedis()],
  ] as const)(
    'is restored beside %s Redis into %s database: sending is paused, and after the confirmation nothing of it is lost or repeated',
    async (_redis, where, prepare) => {
      const original = await startOn(postgres.url);
      const world = await createWorld(original);
      const accepted = await sendDuring(original, world, () =>
        runBlock('Dump the database', postgres.url),
      );
      await stopSystem();
      await prepare();
      const url = where === 'another' ? await postgres.createDatabase('restored') : postgres.url;
      await runBlock('Restore a dump', url);
      const backup = await readBackup(url);
      const before = countCalls();

      const restored = await startOn(url);
      await expectPaused(restored, world, 'copied');
      expect(countCalls()).toEqual(before);
      await confirmAndSettle(restored);
      expectNothingLostOrRepeated(backup, before);
      await expectRepeatedCallsStored(restored, world, accepted);
    },
  );

  test('pauses the copy that was not confirmed, if both use one Redis', async () => {
    const original = await startOn(postgres.url);
    const world = await createWorld(original);
    await sendDuring(original, world, () => runBlock('Dump the database', postgres.url));
    const url = await postgres.createDatabase('restored');
    await runBlock('Restore a dump', url);
    await runBlock('Check and confirm', url);
    await expectPaused(original, world, 'other_redis');
  });
});

/** A call that is repeated gets its first response if the backup has it, and else is accepted as a new one. */
async function expectRepeatedCallsStored(
  system: System,
  world: World,
  accepted: Map<string, string>,
): Promise<void> {
  const rows = await query<{ id: string }>(system.databaseUrl, 'SELECT id FROM request');
  const held = new Set(rows.map(({ id }) => id));
  const repeats: { first: string; again: string; isHeld: boolean }[] = [];
  for (const [key, first] of accepted) {
    const { status, body } = await send(system, world, key);
    expect(status).toBe(200);
    repeats.push({ first, again: String(body.request_id), isHeld: held.has(first) });
  }
  expect(repeats.filter(({ isHeld }) => !isHeld).length).toBeGreaterThan(0);
  const isRight = ({ first, again, isHeld }: (typeof repeats)[number]) =>
    (first === again) === isHeld;
  expect(repeats.filter((repeat) => !isRight(repeat))).toEqual([]);
  const stored = await query<{ id: string }>(system.databaseUrl, 'SELECT id FROM request');
  const ids = new Set(stored.map(({ id }) => id));
  expect(repeats.filter(({ again }) => !ids.has(again))).toEqual([]);
}

async function emptyRedis(): Promise<void> {
  await redis.stop();
  await redis.remove();
  redis = await ownRedis();
}

describeServers('a base backup with its WAL, restored to a moment under load', () => {
  test('is paused beside the newer Redis and beside an empty one, and after the confirmation nothing of it is lost or repeated', async () => {
    const original = await startOn(postgres.url);
    const world = await createWorld(original);
    let moment = '';
    await sendDuring(original, world, async () => {
      await runBlock('Take a base backup', postgres.url);
      const [row] = await query<{ now: string }>(postgres.url, 'SELECT now()::text AS now');
      moment = String(row?.now);
    });
    // Longer than a failover may lose.
    await eventually(
      async () => {
        const [row] = await query<{ isLater: boolean }>(
          postgres.url,
          `SELECT checked_at > '${moment}'::timestamptz + interval '65 seconds' AS "isLater" FROM installation`,
        );
        expect(row?.isLater).toBe(true);
      },
      { timeoutMs: 120_000, intervalMs: 1_000 },
    );
    await stopSystem();
    await postgres.stop();
    await runBlock('Restore to a moment', postgres.url, { MOMENT: moment });
    await postgres.start();
    await eventually(async () => {
      const [row] = await query<{ isOver: boolean }>(
        postgres.url,
        'SELECT NOT pg_is_in_recovery() AS "isOver"',
      );
      expect(row?.isOver).toBe(true);
    });
    const backup = await readBackup(postgres.url);
    const before = countCalls();

    await expectPaused(await startOn(postgres.url), world, 'behind_redis');
    await stopSystem();
    await query(postgres.url, 'UPDATE installation SET paused_at = NULL');
    await emptyRedis();
    const restored = await startOn(postgres.url);
    await expectPaused(restored, world, 'new_stores');
    expect(countCalls()).toEqual(before);
    await confirmAndSettle(restored);
    expectNothingLostOrRepeated(backup, before);
  });
});
