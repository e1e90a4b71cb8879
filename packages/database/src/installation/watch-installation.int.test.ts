import { createLogger, createRedis, newId, type RedisConnection } from '@belfry/runtime';
import { eventually, ownDatabase, testRedis } from '@belfry/testing';
import { createDatabase, type Database } from '../client';
import { confirmInstallation, pauseByOperator } from './change-installation';
import { createInstallationWatch, type InstallationState } from './watch-installation';

const log = createLogger({ level: 'error', process: 'test' });

type World = { database: Database; redis: RedisConnection; prefix: string };

let world: World;
const cleanUps: (() => unknown)[] = [];

beforeEach(async () => {
  const { url, prefix: testPrefix } = testRedis();
  const prefix = `${testPrefix}-${newId()}`;
  const redis = createRedis({ url, log });
  cleanUps.push(async () => {
    await redis.del(`${prefix}:installation`);
    redis.disconnect();
  });
  world = { database: await openOwn(), redis, prefix };
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function openOwn(): Promise<Database> {
  const own = await ownDatabase();
  const database = createDatabase({ url: own.url, poolSize: 2, log });
  cleanUps.push(async () => {
    await database.close();
    await own.drop();
  });
  return database;
}

/** The state that a process finds when it starts. */
async function check(of: World = world): Promise<InstallationState | undefined> {
  const watch = createInstallationWatch({ pool: of.database.lookUps, ...of, log });
  await watch.start();
  await watch.close();
  return watch.getState();
}

const running = { id: expect.any(String), pause: undefined };
const paused = (pause: string) => ({ id: expect.any(String), pause });
const confirm = (of: World = world) =>
  confirmInstallation({ pool: of.database.accepting, redis: of.redis, prefix: of.prefix });
const change = (sets: string) => world.database.lookUps.query(`UPDATE installation SET ${sets}`);

describe('an installation', () => {
  test('sends at its first start, with several processes at once, and after Redis was emptied', async () => {
    const states = await Promise.all([check(), check(), check()]);
    expect(states).toEqual([running, running, running]);
    expect(new Set(states.map((state) => state?.id)).size).toBe(1);
    await world.redis.del(`${world.prefix}:installation`);
    expect(await check()).toEqual(running);
  });

  test('sends after a promotion, which changes only the timeline', async () => {
    await check();
    await change("timeline = 'FFFFFFFF'");
    expect(await check()).toEqual(running);
    expect(await check()).toEqual(running);
  });

  test('is paused as a copy with other OIDs, until an operator confirms it, and tells each account', async () => {
    await check();
    await change("table_id = '1/1'");
    const accountId = newId();
    await world.database.lookUps.query('INSERT INTO account (id, name) VALUES ($1, $2)', [
      ...[accountId, 'Shop'],
    ]);
    expect(await check()).toEqual(paused('copied'));
    expect(await check()).toEqual(paused('copied'));
    expect(await confirm()).toMatchObject({ pauseReason: 'copied' });
    expect(await check()).toEqual(running);
    const { rows } = await world.database.lookUps.query(
      'SELECT account_id, action FROM audit_entry',
    );
    expect(rows).toEqual([{ account_id: accountId, action: 'installation.confirmed' }]);
  });

  test('is paused if it is more than a minute older than its Redis', async () => {
    await check();
    await change("checked_at = checked_at - interval '61 seconds'");
    expect(await check()).toEqual(paused('behind_redis'));
  });

  test('is paused if it was restored to a moment, and its Redis is empty', async () => {
    await check();
    await change("timeline = 'FFFFFFFF'");
    await world.redis.del(`${world.prefix}:installation`);
    expect(await check()).toEqual(paused('new_stores'));
  });

  test('is paused when another copy on its Redis was confirmed', async () => {
    await check();
    const copy = { ...world, database: await openOwn() };
    await copy.database.lookUps.query(
      "INSERT INTO installation (id, table_id) VALUES ($1, '1/1')",
      [newId()],
    );
    expect(await check(copy)).toEqual(paused('copied'));
    await confirm(copy);
    expect(await check(copy)).toEqual(running);
    expect(await check()).toEqual(paused('other_redis'));
  });

  test('is paused by an operator while it runs, and goes on after the confirmation', async () => {
    const states: (string | undefined)[] = [];
    const watch = createInstallationWatch({
      ...{ pool: world.database.lookUps, redis: world.redis, prefix: world.prefix, log },
      onChecked: ({ pause }) => states.push(pause),
    });
    await watch.start();
    cleanUps.push(watch.close);
    expect(await pauseByOperator(world.database.accepting)).toBe(true);
    expect(await pauseByOperator(world.database.accepting)).toBe(false);
    await eventually(() => expect(states.at(-1)).toBe('operator'), { timeoutMs: 20_000 });
    await confirm();
    await eventually(() => expect(states.at(-1)).toBeUndefined(), { timeoutMs: 20_000 });
  });

  test('changes nothing if Redis does not answer when it is confirmed', async () => {
    await check();
    await pauseByOperator(world.database.accepting);
    const redis = createRedis({ url: testRedis().url, log });
    redis.disconnect();
    expect(await confirm({ ...world, redis })).toBeUndefined();
    const { rows } = await world.database.lookUps.query(
      'SELECT paused_at IS NULL AS is_over FROM installation',
    );
    expect(rows).toEqual([{ is_over: false }]);
  });
});
