import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  buildAclRule,
  createLogger,
  createRedis,
  createRedisCheck,
  waitForRedis,
} from '@belfry/runtime';
import { eventually } from './eventually';
import {
  primaryName,
  type RedisGroup,
  startRedisCluster,
  startSentinelGroup,
} from './redis-groups';
import { type RedisServer, startRedisServer } from './redis-server';
import { createCertificates, type TestCertificates } from './test-certificates';
import { repositoryRoot } from './test-stores';

jest.setTimeout(60_000);

const prefix = 'check';
const log = createLogger({ level: 'error', process: 'test' });

let server: RedisServer;
let replica: RedisServer;
let group: Awaited<ReturnType<typeof startSentinelGroup>>;
let cluster: RedisGroup;
let tlsGroup: RedisGroup;
let tlsCluster: RedisGroup;
let tlsServer: RedisServer;
let tlsPort: number;
let certificates: TestCertificates;
const folder = mkdtempSync(path.join(tmpdir(), 'belfry-redis-check-'));

beforeAll(async () => {
  certificates = createCertificates(folder);
  // At once: Sentinels need 10 s to find each other.
  [server, group, cluster, tlsGroup, tlsCluster, tlsServer] = await Promise.all([
    startRedisServer(),
    startSentinelGroup(),
    startRedisCluster({ hasReplicas: false }),
    startSentinelGroup({ certificates }),
    startRedisCluster({ hasReplicas: false, certificates }),
    startTlsServer(),
  ]);
  replica = group.servers[1] as RedisServer;
}, 60_000);

afterAll(async () => {
  const all = [server, group, cluster, tlsGroup, tlsCluster, tlsServer];
  await Promise.all(all.map((each) => each?.remove()));
  rmSync(folder, { recursive: true });
});

/** Plain on its first port, for the test itself. */
async function startTlsServer(): Promise<RedisServer> {
  const { ca, cert, key } = certificates;
  const { findFreePort } = await import('@belfry/embedded');
  tlsPort = await findFreePort();
  const files = [`tls-ca-cert-file ${ca}`, `tls-cert-file ${cert}`, `tls-key-file ${key}`];
  return startRedisServer({ lines: [`tls-port ${tlsPort}`, ...files] });
}

const read = (url: string, ownPrefix = prefix) =>
  createRedisCheck({ REDIS_URL: url, REDIS_PREFIX: ownPrefix }).read();
const at = (port: number) => `127.0.0.1:${port}`;
const sentinels = () => group.sentinels.map(({ port }) => at(port)).join();
const nodes = () => cluster.servers.map(({ port }) => at(port)).join();
const withClient = () => `cert=${certificates.cert}&key=${certificates.key}`;

/** Waits while a server that just started is not reachable yet. */
function readAgain(url: string, ownPrefix = prefix) {
  return eventually(() => read(url, ownPrefix), { timeoutMs: 10_000 });
}

describe('the check of Redis accepts and names', () => {
  test.each<[string, () => string, string]>([
    ['a server', () => `redis://:secret@${at(server.port)}/3`, 'Standalone server'],
    ['Sentinels', () => group.url, 'with 1 replica; 3 of 3 Sentinels answer.'],
    ['a Cluster', () => cluster.url, 'Cluster of 3 primaries with 0 replicas.'],
    [
      'a server with TLS',
      () => `rediss://:secret@${at(tlsPort)}?cacert=${certificates.ca}&${withClient()}`,
      'Standalone server',
    ],
  ])('%s', async (_name, url, summary) => {
    const findings = await readAgain(url());
    expect(findings).toMatchObject({ refusals: [], summary: expect.stringContaining(summary) });
  });

  test.each<[string, () => string, string]>([
    ['Sentinels', () => tlsGroup.url, '3 of 3 Sentinels answer.'],
    ['a Cluster', () => tlsCluster.url, 'Cluster of 3 primaries with 0 replicas.'],
  ])('%s over TLS, where commands of every slot are answered', async (_name, getUrl, summary) => {
    const url = getUrl();
    const redis = createRedis({ url, log });
    try {
      expect(await readAgain(url)).toMatchObject({
        refusals: [],
        summary: expect.stringContaining(summary),
      });
      expect(await waitForRedis(redis, 10_000)).toBe(true);
      const keys = Array.from({ length: 20 }, (_, number) => `${prefix}:${number}`);
      for (const key of keys) await redis.set(key, key);
      expect(await Promise.all(keys.map((key) => redis.get(key)))).toEqual(keys);
    } finally {
      redis.disconnect();
    }
  });

  test('primaries without a replica with a warning', async () => {
    const { warnings } = await readAgain(cluster.url);
    expect(warnings).toEqual([expect.stringContaining('3 primaries without a connected replica')]);
  });

  test('the other Sentinels if one does not answer', async () => {
    const url = `redis+sentinel://:secret@127.0.0.1:1,${sentinels()}/${primaryName}?sentinel_password=watch`;
    expect(await readAgain(url)).toMatchObject({
      refusals: [],
      summary: expect.stringContaining('3 of 4 Sentinels'),
    });
  });
});

describe('the check of Redis refuses, and says what to do:', () => {
  test.each<[string, () => string, string]>([
    [
      'a wrong password',
      () => `redis://:wrong@${at(server.port)}`,
      'refuses the user or the password. Correct REDIS_URL',
    ],
    ['no password', () => `redis://${at(server.port)}`, 'requires a password'],
    [
      'a database that does not exist',
      () => `redis://:secret@${at(server.port)}/99`,
      'does not have the database',
    ],
    [
      'a replica named as primary',
      () => `redis://:secret@${at(replica.port)}`,
      'is a replica of 127.0.0.1:',
    ],
    [
      'a Sentinel named as server',
      () => `redis://:watch@${at(group.sentinels[0]?.port ?? 0)}`,
      'is a Sentinel. Use redis+sentinel://127.0.0.1:',
    ],
    [
      'a Sentinel named as Cluster',
      () => `redis+cluster://:watch@${at(group.sentinels[0]?.port ?? 0)}`,
      'is a Sentinel. Use redis+sentinel://127.0.0.1:',
    ],
    [
      'a node of a Cluster named as server',
      () => `redis://:secret@${at(cluster.servers[0]?.port ?? 0)}`,
      'is a node of a Cluster. Use redis+cluster://127.0.0.1:',
    ],
    [
      'a Cluster named as Sentinel',
      () => `redis+sentinel://:secret@${nodes()}/${primaryName}?sentinel_password=secret`,
      'is not a Sentinel. Use redis+cluster://127.0.0.1:',
    ],
    [
      'a server named as Sentinel',
      () => `redis+sentinel://:secret@${at(server.port)}/x?sentinel_password=secret`,
      'is not a Sentinel. Use redis://127.0.0.1:',
    ],
    [
      'a server named as Cluster',
      () => `redis+cluster://:secret@${at(server.port)}`,
      'is not a node of a Cluster. Use redis://127.0.0.1:',
    ],
    [
      'a wrong name of the primary',
      () => `redis+sentinel://:secret@${sentinels()}/other?sentinel_password=watch`,
      'knows no primary "other", only "belfry". Correct the end of REDIS_URL.',
    ],
    [
      'no password of the Sentinels',
      () => `redis+sentinel://:secret@${sentinels()}/${primaryName}`,
      'requires a password',
    ],
    ['TLS to a plain port', () => `rediss://:secret@${at(server.port)}`, 'speaks no TLS'],
    [
      'a plain connection to a TLS port',
      () => `redis://:secret@${at(tlsPort)}`,
      'speaks TLS. Start REDIS_URL with rediss',
    ],
    [
      'a certificate of an unknown authority',
      () => `rediss://:secret@${at(tlsPort)}?${withClient()}`,
      'has a certificate that is not trusted here. Add the file of its authority',
    ],
    [
      'a certificate for another name',
      () => `rediss://:secret@localhost:${tlsPort}?cacert=${certificates.ca}&${withClient()}`,
      'has a certificate for other names',
    ],
    [
      'a missing client certificate',
      () => `rediss://:secret@${at(tlsPort)}?cacert=${certificates.ca}`,
      'requires a client certificate',
    ],
  ])('%s', async (_name, url, problem) => {
    const { refusals } = await readAgain(url());
    expect(refusals).not.toEqual([]);
    for (const refusal of refusals) expect(refusal).toContain(problem);
  });

  test('no word of the password', async () => {
    const { refusals } = await readAgain(`redis://:hidden@${at(server.port)}`);
    expect(JSON.stringify(refusals)).not.toContain('hidden');
  });
});

describe('a user with the rights of the documented rule', () => {
  const rule = (own: string) => ['>pw', 'on', ...buildAclRule(own).split(' ')];

  test('passes the check, and can use no other keys and no dangerous command', async () => {
    await server.ask('acl', 'setuser', 'minimal', ...rule(prefix));
    const url = `redis://minimal:pw@${at(server.port)}`;
    expect(await readAgain(url)).toMatchObject({ refusals: [] });
    const redis = createRedis({ url, log });
    try {
      expect(await waitForRedis(redis, 5_000)).toBe(true);
      await expect(redis.get('other')).rejects.toThrow('NOPERM');
      await expect(redis.flushall()).rejects.toThrow('NOPERM');
      await expect(redis.keys(`${prefix}*`)).rejects.toThrow('NOPERM');
    } finally {
      redis.disconnect();
    }
  });

  test('passes the check of a Cluster', async () => {
    const { servers } = cluster;
    await Promise.all(
      servers.map(({ ask }) => ask('acl', 'setuser', 'minimal', ...rule('{check}'))),
    );
    const url = `redis+cluster://minimal:pw@${nodes()}`;
    expect(await readAgain(url, '{check}')).toMatchObject({ refusals: [] });
  });

  test.each([
    '-time',
    '-info',
    '-@write',
    '-@read',
    '-@scripting',
    '-@pubsub',
    '-@transaction',
    'resetkeys',
    'resetchannels',
  ])('and %s is refused with the command that adds the right', async (missing) => {
    await server.ask('acl', 'setuser', 'less', 'reset', ...rule(prefix), missing);
    const { refusals } = await readAgain(`redis://less:pw@${at(server.port)}`);
    expect(refusals).toEqual([expect.stringContaining(`ACL SETUSER less ${buildAclRule(prefix)}`)]);
  });

  test('is the one in the document', () => {
    const file = path.join(repositoryRoot, 'docs/how-to/run-redis-with-failover.md');
    expect(readFileSync(file, 'utf8')).toContain(buildAclRule('belfry'));
  });
});
