import {
  type Refusal,
  readPrimaries,
  readPrimary,
  readServer,
  type ServerFacts,
} from './redis-probe';
import { formatNode } from './redis-problems';
import { parseRedisUrl, type RedisNode, type RedisTarget } from './redis-url';
import type { Findings, StartCheck } from './start-checks';

/** Settings, as `readEnv` gives them. */
export type RedisCheckOptions = { REDIS_URL: string; REDIS_PREFIX: string };

/** `summary` names the mode and the servers; empty if the check refuses. */
export type RedisFindings = Findings & { summary: string };

export type RedisCheck = Omit<StartCheck, 'read'> & { read(): Promise<RedisFindings> };

/** Checks that Redis is suitable before a process uses it. */
export function createRedisCheck({
  REDIS_URL: url,
  REDIS_PREFIX: prefix,
}: RedisCheckOptions): RedisCheck {
  return {
    name: 'redis',
    async read() {
      const target = parseRedisUrl(url);
      if ('problem' in target) return refuse([`REDIS_URL ${target.problem}`]);
      const located = await findServers(target);
      if ('refusals' in located) return refuse(located.refusals);
      const { answers, refusals } = await askAll(located.servers, (node) =>
        readServer(node, target, prefix),
      );
      if (refusals.length > 0) return refuse(refusals);
      return judgeServers(answers, { target, ...located });
    },
  };
}

function refuse(refusals: string[]): RedisFindings {
  return { refusals: [...new Set(refusals)], warnings: [], summary: '' };
}

type Servers = {
  /** The primaries. */
  servers: RedisNode[];
  /** How many of the named Sentinels answered. */
  sentinels: number;
};

async function findServers(target: RedisTarget): Promise<Servers | { refusals: string[] }> {
  const { mode, nodes } = target;
  if (mode === 'standalone') return { servers: nodes, sentinels: 0 };
  if (mode === 'sentinel') {
    const { answers, refusals } = await askAll(nodes, (node) => readPrimary(node, target));
    if (refusals.length > 0) return { refusals };
    return {
      servers: uniqueNodes(answers.map(({ primary }) => primary)),
      sentinels: answers.length,
    };
  }
  const { answers, refusals } = await askAll(nodes, (node) => readPrimaries(node, target));
  if (refusals.length > 0) return { refusals };
  return { servers: uniqueNodes(answers.flatMap(({ primaries }) => primaries)), sentinels: 0 };
}

function uniqueNodes(nodes: RedisNode[]): RedisNode[] {
  return [...new Map(nodes.map((node) => [formatNode(node), node])).values()];
}

/** Asks all servers at once; unavailable ones are left out. Rejects if no server answers. */
async function askAll<T extends object>(
  nodes: RedisNode[],
  question: (node: RedisNode) => Promise<T | Refusal>,
): Promise<{ answers: T[]; refusals: string[] }> {
  const results = await Promise.allSettled<T | Refusal>(nodes.map(question));
  const replies = results.flatMap((result) =>
    result.status === 'fulfilled' ? [result.value] : [],
  );
  if (replies.length === 0) throw results.find((result) => result.status === 'rejected')?.reason;
  const answers: T[] = [];
  const refusals: string[] = [];
  for (const reply of replies) {
    if (isRefusal(reply)) refusals.push(reply.refusal);
    else answers.push(reply);
  }
  return { answers, refusals };
}

function isRefusal(reply: object): reply is Refusal {
  return 'refusal' in reply;
}

type Context = Servers & { target: RedisTarget };

function judgeServers(answers: { facts: ServerFacts }[], context: Context): RedisFindings {
  const primaries = answers.filter(({ facts }) => facts.get('role') === 'master');
  // In a failover, the Sentinels still name the old primary.
  if (primaries.length === 0) throw new Error('Redis has no primary now');
  const findings = primaries.map(({ facts }) => checkRedis(facts));
  const replicas = primaries.map(({ facts }) => Number(facts.get('connected_slaves') ?? 0));
  return {
    refusals: [...new Set(findings.flatMap(({ refusals }) => refusals))],
    warnings: [
      ...new Set(findings.flatMap(({ warnings }) => warnings)),
      ...listReplicaWarnings(replicas, context.target),
    ],
    summary: summarize(replicas, context),
  };
}

function listReplicaWarnings(replicas: number[], { mode }: RedisTarget): string[] {
  const withoutReplica = replicas.filter((count) => count === 0).length;
  if (mode === 'standalone' || withoutReplica === 0) return [];
  return [
    `Redis: ${count(withoutReplica, 'primary', 'primaries')} without a connected replica, so nothing takes over if it fails. Start a replica.`,
  ];
}

function summarize(replicas: number[], { target, servers, sentinels }: Context): string {
  const total = count(
    replicas.reduce((sum, each) => sum + each, 0),
    'replica',
  );
  const [first] = servers;
  const address = first ? formatNode(first) : '';
  switch (target.mode) {
    case 'standalone':
      return `Standalone server ${address}.`;
    case 'sentinel':
      return `Primary ${address} with ${total}; ${sentinels} of ${count(target.nodes.length, 'Sentinel')} answer.`;
    case 'cluster':
      return `Cluster of ${count(servers.length, 'primary', 'primaries')} with ${total}.`;
  }
}

function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** Before 7.0.8, a consumer may stop at a delayed job. */
const oldestVersion = [7, 0, 8] as const;

/** `facts` is INFO. */
export function checkRedis(facts: ServerFacts): Findings {
  const refusals = [findVersionProblem(facts), findEvictionProblem(facts)].flatMap(
    (text) => text ?? [],
  );
  return { refusals, warnings: listPersistenceWarnings(facts) };
}

function findVersionProblem(facts: ServerFacts): string | undefined {
  // Valkey's first release is newer than the required Redis version.
  if (facts.has('valkey_version')) return undefined;
  const version = facts.get('redis_version') ?? 'unknown';
  return isAtLeast(version) ? undefined : `Redis: version ${version} is too old. ${upgradeAdvice}`;
}

const upgradeAdvice = `Install ${oldestVersion.join('.')} or newer, or Valkey.`;

function isAtLeast(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, minimum] of oldestVersion.entries()) {
    const part = parts[index] ?? 0;
    if (part !== minimum) return part > minimum;
  }
  return true;
}

function findEvictionProblem(facts: ServerFacts): string | undefined {
  const policy = facts.get('maxmemory_policy');
  if (policy === 'noeviction') return undefined;
  return (
    `Redis: maxmemory-policy is ${policy ?? 'unknown'}, so Redis could evict jobs. ` +
    'Run: redis-cli CONFIG SET maxmemory-policy noeviction (and add it to redis.conf).'
  );
}

function listPersistenceWarnings(facts: ServerFacts): string[] {
  if (facts.get('aof_enabled') === '1') return [];
  return [
    'Redis: appendonly is off, so a restart empties it. That delays messages by seconds, but loses none. ' +
      'Run: redis-cli CONFIG SET appendonly yes (and add it to redis.conf).',
  ];
}
