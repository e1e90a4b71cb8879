import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

/** How Redis is reached, as REDIS_URL says. */
export type RedisTarget = {
  mode: 'standalone' | 'sentinel' | 'cluster';
  /** Servers; in mode `sentinel`, the Sentinels. */
  nodes: RedisNode[];
  login: RedisLogin;
  /** The Sentinels' own user. */
  sentinelLogin: RedisLogin;
  /** The name under which the Sentinels know the primary; otherwise empty. */
  masterName: string;
  database: number;
  /** Undefined: plain TCP. */
  tls: RedisTls | undefined;
};

export type RedisNode = { host: string; port: number };
export type RedisLogin = { username?: string; password?: string };
/** PEM texts. Without `ca`, the system's certificate authorities count. */
export type RedisTls = { ca?: string; cert?: string; key?: string };

const defaultPort = 6379;
const defaultSentinelPort = 26_379;

// WHATWG URLs have one host, so this is read here.
const urlPattern =
  /^(?<scheme>rediss?)(?:\+(?<mode>sentinel|cluster))?:\/\/(?<authority>[^/?#]+)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/;

const forms =
  'redis://host:6379/0, redis+sentinel://host:26379,host:26379/primary-name or redis+cluster://host:6379,host:6379; ' +
  'rediss instead of redis for TLS';

/** Reads REDIS_URL and the certificate files that it names. The problem repeats no part of the URL: it has the password. */
export function parseRedisUrl(url: string): RedisTarget | { problem: string } {
  const parts = urlPattern.exec(url)?.groups;
  if (!parts) return { problem: `must look like ${forms}` };
  try {
    return readTarget(parts);
  } catch (error) {
    if (error instanceof UrlProblem) return { problem: error.message };
    throw error;
  }
}

/** Stays within this file. */
class UrlProblem extends Error {}

type Parts = Record<string, string | undefined>;

function readTarget({ scheme, mode = 'standalone', authority = '', path = '', query = '' }: Parts) {
  const target: RedisTarget = {
    // The pattern allows no others.
    mode: mode as RedisTarget['mode'],
    nodes: readNodes(authority, mode),
    login: readLogin(authority),
    ...readPath(path, mode),
    ...readQuery(query, { mode, isTls: scheme === 'rediss' }),
  };
  return target;
}

function readLogin(authority: string): RedisLogin {
  const end = authority.lastIndexOf('@');
  if (end === -1) return {};
  const [username = '', ...rest] = authority.slice(0, end).split(':');
  return createLogin(decode(username), decode(rest.join(':')));
}

function createLogin(username: string, password: string): RedisLogin {
  return { ...(username && { username }), ...(password && { password }) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UrlProblem('has a % that does not start an escape; write %25 for a percent sign');
  }
}

const nodePattern = /^(?<host>\[[0-9A-Fa-f:.]+\]|[^:[\]]+)(?::(?<port>\d{1,5}))?$/;
const maxNodes = 100;
const maxPort = 65_535;

function readNodes(authority: string, mode: string): RedisNode[] {
  const texts = authority.slice(authority.lastIndexOf('@') + 1).split(',');
  if (mode === 'standalone' && texts.length > 1) {
    throw new UrlProblem(
      'names several hosts: start it with redis+sentinel:// or redis+cluster://, or name one',
    );
  }
  if (texts.length > maxNodes) throw new UrlProblem(`must have at most ${maxNodes} hosts`);
  return texts.map((text) => {
    const { host, port } = nodePattern.exec(text)?.groups ?? {};
    if (!host) throw new UrlProblem('must have host:port after the password, comma separated');
    const number = Number(port ?? (mode === 'sentinel' ? defaultSentinelPort : defaultPort));
    if (number < 1 || number > maxPort) throw new UrlProblem(`must have ports up to ${maxPort}`);
    return { host: host.replace(/^\[|\]$/g, ''), port: number };
  });
}

function readPath(path: string, mode: string): Pick<RedisTarget, 'masterName' | 'database'> {
  const [first = '', ...rest] = path.split('/');
  if (mode === 'sentinel') {
    if (!first) {
      throw new UrlProblem(
        'must end with the name of the primary, as in redis+sentinel://host:26379/mymaster',
      );
    }
    return { masterName: decode(first), database: readDatabase(rest.join('/')) };
  }
  const database = readDatabase(path);
  if (mode === 'cluster' && database !== 0) {
    throw new UrlProblem('must not name a database: a Cluster has only database 0');
  }
  return { masterName: '', database };
}

function readDatabase(text: string): number {
  if (!/^\d{0,5}$/.test(text)) throw new UrlProblem('must end with the number of a database');
  return Number(text);
}

const tlsNames = ['cacert', 'cert', 'key'];
const sentinelNames = ['sentinel_username', 'sentinel_password'];

function readQuery(
  query: string,
  { mode, isTls }: { mode: string; isTls: boolean },
): Pick<RedisTarget, 'tls' | 'sentinelLogin'> {
  const parameters = new URLSearchParams(query);
  const allowed = [...(isTls ? tlsNames : []), ...(mode === 'sentinel' ? sentinelNames : [])];
  for (const name of parameters.keys()) {
    if (!allowed.includes(name)) throw new UrlProblem(describeUnknown(name, allowed));
  }
  const get = (name: string) => parameters.get(name) ?? '';
  return {
    tls: isTls ? readTls(get) : undefined,
    sentinelLogin: createLogin(get('sentinel_username'), get('sentinel_password')),
  };
}

function describeUnknown(name: string, allowed: string[]): string {
  if (tlsNames.includes(name)) return `has ${name}, which needs TLS: start it with rediss`;
  return allowed.length > 0
    ? `has an unknown parameter; it can have ${allowed.join(', ')}`
    : 'must have no parameters after "?"';
}

function readTls(get: (name: string) => string): RedisTls {
  const read = (name: string) => (get(name) === '' ? '' : readPem(name, get(name)));
  const [ca, cert, key] = [read('cacert'), read('cert'), read('key')];
  if (Boolean(cert) !== Boolean(key))
    throw new UrlProblem('must have both cert and key, or neither');
  const tls: RedisTls = { ...(ca && { ca }), ...(cert && { cert, key }) };
  try {
    createSecureContext(tls);
  } catch {
    throw new UrlProblem('names files that are no certificate and private key in PEM form');
  }
  return tls;
}

function readPem(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // Node's own errors have a code.
    const { code } = error as NodeJS.ErrnoException;
    throw new UrlProblem(`has a ${name} file that cannot be read (${code})`);
  }
}

/** Without passwords, for output. */
export function maskRedisUrl(url: string): string {
  return url
    .replace(/^([^/]*\/\/[^/?#:]*:)[^/?#]*@/, '$1***@')
    .replace(/(sentinel_password=)[^&]*/, '$1***');
}

/**
 * In a Cluster, all keys of a script and of a queue must be in one slot, and Redis finds the slot by the text in braces.
 * So a prefix in braces becomes one per group: `{belfry}` and `limit` give `{belfry:limit}`. Other prefixes stay.
 */
export function addHashTag(prefix: string, group: string): string {
  return prefix.startsWith('{') ? `${prefix.slice(0, -1)}:${group}}` : prefix;
}
