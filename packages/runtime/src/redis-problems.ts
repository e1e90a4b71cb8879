import type { RedisNode, RedisTarget } from './redis-url';

/**
 * Finds the change that an operator must make, by the start or the code of the error; undefined if the server is only
 * unavailable. Each text continues a sentence that starts with the server's address.
 */
export function describeRedisError(error: Error): string | undefined {
  const code = 'code' in error ? String(error.code) : '';
  return problems.find(({ pattern }) => pattern.test(`${code} ${error.message}`))?.text;
}

const passwordAdvice =
  'Correct REDIS_URL, as in redis://user:password@host:6379 (or redis://:password@host:6379).';

export const speaksTls = 'speaks TLS. Start REDIS_URL with rediss instead of redis.';
export const speaksNoTls =
  'speaks no TLS on this port. Use its TLS port, or start REDIS_URL with redis instead of rediss.';

const problems: { pattern: RegExp; text: string }[] = [
  { pattern: /^\S* ?WRONGPASS/, text: `refuses the user or the password. ${passwordAdvice}` },
  { pattern: /^\S* ?NOAUTH/, text: `requires a password. ${passwordAdvice}` },
  {
    pattern: /^\S* ?DENIED/,
    text: 'is in protected mode and accepts only its own machine. Set a password there, and use it in REDIS_URL.',
  },
  {
    pattern: /DB index is out of range/,
    text: 'does not have the database that REDIS_URL ends with. Use a lower number, or set "databases" in redis.conf.',
  },
  {
    pattern:
      /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|wrong version number|packet length too long/i,
    text: speaksNoTls,
  },
  {
    pattern: /ALTNAME_INVALID/,
    text: 'has a certificate for other names. Use a name or address of the certificate in REDIS_URL; Sentinels and Clusters must announce such names as well.',
  },
  {
    pattern: /CERT_HAS_EXPIRED/,
    text: 'has a certificate that has expired. Renew it.',
  },
  {
    pattern: /SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|CERT_(UNTRUSTED|SIGNATURE|NOT_YET)/,
    text: 'has a certificate that is not trusted here. Add the file of its authority to REDIS_URL: ?cacert=/path/ca.pem',
  },
  {
    pattern: /ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA)/,
    text: 'requires a client certificate that it trusts. Add it to REDIS_URL: ?cert=/path/client.pem&key=/path/client.key',
  },
];

/** The rights that Belfry needs, for ACL SETUSER. `prefix` is REDIS_PREFIX, in braces in a Cluster. */
export function buildAclRule(prefix: string): string {
  const start = prefix.replace(/\}$/, '');
  return `~${start}* &${start}* ${aclCommands}`;
}

const aclCommands =
  '-@all +@read +@write +@scripting +@pubsub +@transaction +@connection +time +cluster|slots +cluster|info -@dangerous +info';

/** Each needs another part of the rule. None changes a key that is used. */
export function listProbeCommands(prefix: string): [name: string, ...args: (string | number)[]][] {
  const key = `${prefix}:start-check`;
  return [
    ['set', key, '1', 'PX', 1_000],
    ['get', key],
    ['hdel', `${key}:hash`, 'field'],
    ['zrem', `${key}:set`, 'member'],
    ['bzpopmin', `${key}:set`, 0.001],
    ['xtrim', `${key}:stream`, 'MAXLEN', 1],
    ['time'],
    ['eval', 'return 1', 1, key],
    ['evalsha', '0'.repeat(40), 1, key],
    ['discard'],
    ['publish', key, ''],
  ];
}

export function describeMissingRights(
  reason: string,
  { login }: RedisTarget,
  prefix: string,
): string {
  const user = login.username ?? 'default';
  return `refuses a command (${reason}). Run on every server: ACL SETUSER ${user} ${buildAclRule(prefix)}`;
}

/** The kind of server, by INFO, that REDIS_URL must not name in this mode. */
export function findModeProblem(
  facts: ReadonlyMap<string, string>,
  { mode }: RedisTarget,
  node: RedisNode,
) {
  const address = formatNode(node);
  if (facts.get('redis_mode') === 'sentinel') {
    return `is a Sentinel. Use redis+sentinel://${address}/primary-name`;
  }
  const isCluster = facts.get('cluster_enabled') === '1';
  if (isCluster && mode !== 'cluster')
    return `is a node of a Cluster. Use redis+cluster://${address}`;
  if (!isCluster && mode === 'cluster') {
    return `is not a node of a Cluster. Use redis://${address}, or redis+sentinel:// with the addresses of its Sentinels.`;
  }
  if (facts.get('role') !== 'master' && mode === 'standalone') {
    const primary = `${facts.get('master_host')}:${facts.get('master_port')}`;
    return `is a replica of ${primary}, which accepts no writes. Name the primary, or its Sentinels: redis+sentinel://host:26379/primary-name`;
  }
  return undefined;
}

export function formatNode({ host, port }: RedisNode): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
