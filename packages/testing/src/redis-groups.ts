import { readFileSync } from 'node:fs';
import { findFreePort } from '@belfry/embedded';
import { eventually } from './eventually';
import { type RedisServer, type RedisServerOptions, startRedisServer } from './redis-server';
import type { TestCertificates } from './test-certificates';

/** Several servers that fail over. */
export type RedisGroup = {
  /** For REDIS_URL. */
  url: string;
  servers: RedisServer[];
  /** The primary; in a Cluster, the one that has the key's slot. */
  findPrimary(key: string): Promise<RedisServer>;
  remove(): Promise<void>;
};

const password = 'secret';

export type GroupOptions = {
  /** All connections use TLS, and both sides show a certificate. */
  certificates?: TestCertificates | undefined;
};

function startServer(
  { certificates }: GroupOptions,
  options: RedisServerOptions,
): Promise<RedisServer> {
  if (!certificates) return startRedisServer(options);
  const { ca, cert, key } = certificates;
  const read = (file: string) => readFileSync(file, 'utf8');
  const lines = [
    ...['port 0', 'tls-port {port}', 'tls-replication yes', 'tls-cluster yes'],
    ...[`tls-ca-cert-file ${ca}`, `tls-cert-file ${cert}`, `tls-key-file ${key}`],
  ];
  return startRedisServer({
    ...options,
    lines: [...lines, ...(options.lines ?? [])],
    admin: { tls: { ca: read(ca), cert: read(cert), key: read(key) } },
  });
}

function getUrlParts({ certificates }: GroupOptions): { scheme: string; query: string[] } {
  if (!certificates) return { scheme: 'redis', query: [] };
  const { ca, cert, key } = certificates;
  return { scheme: 'rediss', query: [`cacert=${ca}`, `cert=${cert}`, `key=${key}`] };
}
const formTimeoutMs = 30_000;

/** Short, so that tests wait little. Redis' defaults are 30 s for Sentinel and 15 s for a Cluster. */
const downAfterMs = 1_000;

export const primaryName = 'belfry';

/** A primary, a replica and three Sentinels, which have a password of their own. */
export async function startSentinelGroup(
  options: GroupOptions = {},
): Promise<RedisGroup & { sentinels: RedisServer[] }> {
  const primary = await startServer(options, { password, lines: [`masterauth ${password}`] });
  const lines = [`masterauth ${password}`, `replicaof 127.0.0.1 ${primary.port}`];
  const replica = await startServer(options, { password, lines });
  const servers = [primary, replica];
  await eventually(() => expectReplica(primary), { timeoutMs: formTimeoutMs });
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(options, primary.port)));
  await eventually(() => expectFormed(sentinels), { timeoutMs: formTimeoutMs });
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join();
  const { scheme, query } = getUrlParts(options);
  const parameters = [`sentinel_password=${sentinelPassword}`, ...query].join('&');
  return {
    url: `${scheme}+sentinel://:${password}@${hosts}/${primaryName}?${parameters}`,
    servers,
    sentinels,
    findPrimary: () => findSentinelPrimary(sentinels, servers),
    async remove() {
      await Promise.all([...sentinels, ...servers].map((each) => each.remove()));
    },
  };
}

const sentinelPassword = 'watch';

function startSentinel(options: GroupOptions, port: number): Promise<RedisServer> {
  return startServer(options, {
    kind: 'sentinel',
    password: sentinelPassword,
    lines: [
      `sentinel sentinel-pass ${sentinelPassword}`,
      `sentinel monitor ${primaryName} 127.0.0.1 ${port} 2`,
      `sentinel auth-pass ${primaryName} ${password}`,
      `sentinel down-after-milliseconds ${primaryName} ${downAfterMs}`,
      `sentinel failover-timeout ${primaryName} ${downAfterMs * 5}`,
    ],
  });
}

async function expectReplica(primary: RedisServer): Promise<void> {
  const info = String(await primary.ask('info', 'replication'));
  if (!/slave0:.*state=online/.test(info)) throw new Error(`There is no replica: ${info}`);
}

async function expectFormed(sentinels: RedisServer[]): Promise<void> {
  for (const sentinel of sentinels) {
    const fields = (await sentinel.ask('sentinel', 'master', primaryName)) as string[];
    const get = (name: string) => fields[fields.indexOf(name) + 1];
    const facts = [get('num-slaves'), get('num-other-sentinels'), get('flags')].join();
    if (facts !== `1,${sentinels.length - 1},master`) throw new Error(`Not formed: ${facts}`);
  }
}

async function findSentinelPrimary(sentinels: RedisServer[], servers: RedisServer[]) {
  const command = ['sentinel', 'get-master-addr-by-name', primaryName];
  const address = await askAny(sentinels, command);
  const port = Number((address as string[])[1]);
  const primary = servers.find((server) => server.port === port);
  if (!primary) throw new Error(`No server has port ${port}`);
  return primary;
}

/** Three primaries, each with a replica if it has to fail over. */
export async function startRedisCluster({
  hasReplicas,
  ...options
}: GroupOptions & { hasReplicas: boolean }): Promise<RedisGroup> {
  const start = () => startNode(options);
  const primaries = await Promise.all(slotRanges.map(start));
  const replicas = await Promise.all(hasReplicas ? slotRanges.map(start) : []);
  const servers = [...primaries, ...replicas];
  await joinNodes(primaries, servers);
  await eventually(() => expectCluster(servers), { timeoutMs: formTimeoutMs });
  await addReplicas(primaries, replicas);
  const hosts = primaries.map(({ port }) => `127.0.0.1:${port}`).join();
  const { scheme, query } = getUrlParts(options);
  return {
    url: `${scheme}+cluster://:${password}@${hosts}${query.length > 0 ? '?' : ''}${query.join('&')}`,
    servers,
    findPrimary: (key) => findClusterPrimary(servers, key),
    async remove() {
      await Promise.all(servers.map((each) => each.remove()));
    },
  };
}

const slotRanges = [
  [0, 5_460],
  [5_461, 10_922],
  [10_923, 16_383],
] as const;

async function startNode(options: GroupOptions): Promise<RedisServer> {
  return startServer(options, {
    password,
    lines: [
      'cluster-enabled yes',
      // By default the port + 10,000, which may be above 65,535.
      `cluster-port ${await findFreePort()}`,
      `cluster-node-timeout ${downAfterMs}`,
      `masterauth ${password}`,
    ],
  });
}

async function joinNodes(primaries: RedisServer[], servers: RedisServer[]): Promise<void> {
  for (const [index, primary] of primaries.entries()) {
    const [first, last] = slotRanges[index] ?? [0, 0];
    await primary.ask('cluster', 'addslotsrange', first, last);
  }
  for (const [index, server] of servers.entries()) {
    await server.ask('cluster', 'set-config-epoch', index + 1);
  }
  const [first, ...others] = servers;
  for (const { port, ask } of others) {
    const line = String(await ask('config', 'get', 'cluster-port'));
    await first?.ask('cluster', 'meet', '127.0.0.1', port, line.split(',')[1] ?? '');
  }
}

async function expectCluster(servers: RedisServer[]): Promise<void> {
  for (const { ask } of servers) {
    const info = String(await ask('cluster', 'info'));
    const isOk =
      info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${servers.length}`);
    if (!isOk) throw new Error(`Not formed: ${info}`);
  }
}

async function addReplicas(primaries: RedisServer[], replicas: RedisServer[]): Promise<void> {
  const ids = await Promise.all(primaries.map(({ ask }) => ask('cluster', 'myid')));
  for (const [index, { ask }] of replicas.entries()) {
    await ask('cluster', 'replicate', String(ids[index]));
  }
  if (replicas.length === 0) return;
  for (const primary of primaries) {
    await eventually(() => expectReplica(primary), { timeoutMs: formTimeoutMs });
  }
}

/** The answer of the first that runs. */
async function askAny(servers: RedisServer[], command: string[]): Promise<unknown> {
  return Promise.any(servers.map(({ ask }) => ask(...command)));
}

type Address = [host: string, port: number];

async function findClusterPrimary(servers: RedisServer[], key: string): Promise<RedisServer> {
  const slot = Number(await askAny(servers, ['cluster', 'keyslot', key]));
  const ranges = (await askAny(servers, ['cluster', 'slots'])) as [number, number, Address][];
  const range = ranges.find(([first, last]) => slot >= first && slot <= last);
  const primary = servers.find(({ port }) => port === range?.[2][1]);
  if (!primary) throw new Error(`No server has slot ${slot}`);
  return primary;
}
