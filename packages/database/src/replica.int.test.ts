import { createLogger } from '@belfry/runtime';
import { createTcpProxy, ownDatabase, testDatabase } from '@belfry/testing';
import { createDatabase, type Database } from './client';
import { checkReplica, createReplicaReads } from './replica';
import type { Queryable } from './transaction';

const log = createLogger({ level: 'error', process: 'test' });
const cleanUps: (() => Promise<unknown>)[] = [];
let url: string;

beforeAll(async () => {
  ({ url } = await testDatabase());
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function open(replicaUrl: string): Database {
  const database = createDatabase({ url, replicaUrl, poolSize: 2, log });
  cleanUps.push(() => database.close());
  return database;
}

/** Which of the pools was read. */
async function readOnce(database: Database, reads = createReplicaReads(database, log)) {
  const { value, lagMs } = await reads.read(async (from) => {
    await from.query('SELECT 1');
    return from;
  });
  return { from: describeSource(database, value), lagMs };
}

function describeSource({ requestLog }: Database, from: Queryable): string {
  return from === requestLog ? 'primary' : 'replica';
}

function withName(name: string): string {
  const changed = new URL(url);
  changed.pathname = name;
  return changed.href;
}

const nowhere = 'postgresql://belfry@127.0.0.1:1/belfry';

test('the server itself may be named: nothing is missing', async () => {
  const database = open(url);
  expect(await readOnce(database)).toEqual({ from: 'replica', lagMs: 0 });
  expect(await checkReplica(database)).toEqual({
    findings: { refusals: [], warnings: [] },
    lagMs: 0,
  });
});

test('of several hosts, one that answers is read', async () => {
  const { host } = new URL(url);
  expect(await readOnce(open(url.replace(host, `127.0.0.1:1,${host}`)))).toMatchObject({
    from: 'replica',
  });
});

test('another database is refused, and never read', async () => {
  const other = await ownDatabase();
  cleanUps.push(other.drop);
  const database = open(other.url);
  const { findings } = await checkReplica(database);
  expect(findings.refusals).toEqual([expect.stringContaining('Name a streaming replica')]);
  expect(await readOnce(database)).toMatchObject({ from: 'primary' });
});

test('a refused connection names the reason and the setting', async () => {
  const { findings } = await checkReplica(open(withName('no_such_database')));
  expect(findings.refusals).toEqual([
    expect.stringMatching(/DATABASE_REPLICA_URL: .*"no_such_database" does not exist/),
  ]);
});

test('without an answer the check waits, and the primary is read', async () => {
  const database = open(nowhere);
  await expect(checkReplica(database)).rejects.toMatchObject({ name: 'NotConnectedError' });
  expect(await readOnce(database)).toEqual({ from: 'primary', lagMs: 0 });
});

test('a frozen replica is asked once, and then avoided', async () => {
  const proxy = await createTcpProxy(url);
  cleanUps.push(() => proxy.close());
  const database = open(proxy.url);
  const reads = createReplicaReads(database, log);
  expect(await readOnce(database, reads)).toMatchObject({ from: 'replica' });
  proxy.degrade('black_hole');
  expect(await readOnce(database, reads)).toMatchObject({ from: 'primary' });
  proxy.cut();
  let connections = 0;
  database.requestLogReplica?.on('connect', () => {
    connections += 1;
  });
  expect(await readOnce(database, reads)).toMatchObject({ from: 'primary' });
  expect(connections).toBe(0);
});

test('a read that fails on the replica runs on the primary, but not one that takes too long', async () => {
  const database = open(url);
  const reads = createReplicaReads(database, log);
  const failOn = (state: string) =>
    reads.read(async (from) => {
      if (describeSource(database, from) === 'primary') return 'primary';
      return from.query(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${state}'; END $$`);
    });
  await expect(failOn('57014')).rejects.toMatchObject({ code: '57014' });
  expect(await failOn('40001')).toEqual({ value: 'primary', lagMs: 0 });
});
