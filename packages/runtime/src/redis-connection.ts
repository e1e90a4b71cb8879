import { Cluster, type ClusterOptions, type Command, Redis, type RedisOptions } from 'ioredis';
import { parseRedisUrl, type RedisTarget } from './redis-url';

/** A connection to one primary, which Sentinels may choose, or to all primaries of a Cluster. */
export type RedisConnection = Redis | Cluster;

/** Without the option that changes the types of replies. */
export type ServerOptions = Omit<RedisOptions, 'replyMapping'>;

/** `isResent`: commands wait for a connection and are sent again after a lost one; otherwise they fail at once. */
export type ConnectionOptions = {
  server: ServerOptions;
  /** Also used if another server can take over. */
  withReplicas?: ServerOptions;
  isResent: boolean;
};

export const connectTimeoutMs = 1_000;
const longestReconnectWaitMs = 2_000;

export function openRedis(url: string, options: ConnectionOptions): RedisConnection {
  const target = parseRedisUrl(url);
  if ('problem' in target) throw new Error(`REDIS_URL ${target.problem}`);
  if (target.mode === 'standalone') return openServer(target, options);
  const server = { ...options.server, ...options.withReplicas };
  const open = target.mode === 'cluster' ? openCluster : openServer;
  return open(target, { ...options, server });
}

/** Options of a connection to one server of the target. */
export function getServerOptions({ login, tls, database }: RedisTarget): ServerOptions {
  return { ...login, ...(tls && { tls }), db: database, connectTimeout: connectTimeoutMs };
}

/** Options of a connection to one Sentinel. */
export function getSentinelOptions({ sentinelLogin, tls }: RedisTarget): ServerOptions {
  return { ...sentinelLogin, ...(tls && { tls }), connectTimeout: connectTimeoutMs };
}

function openServer(target: RedisTarget, { server, isResent }: ConnectionOptions): Redis {
  return new Redis({
    ...(target.mode === 'sentinel' ? toSentinelOptions(target) : target.nodes[0]),
    ...getServerOptions(target),
    enableOfflineQueue: isResent,
    retryStrategy,
    reconnectOnError: (error: Error) => isFromReplica(error) && (isResent ? 2 : 1),
    ...server,
  });
}

function toSentinelOptions({ nodes, masterName, sentinelLogin, tls }: RedisTarget): ServerOptions {
  const { username, password } = sentinelLogin;
  return {
    sentinels: nodes,
    name: masterName,
    ...(username && { sentinelUsername: username }),
    ...(password && { sentinelPassword: password }),
    ...(tls && { sentinelTLS: tls, enableTLSForSentinelMode: true }),
    sentinelCommandTimeout: connectTimeoutMs,
    sentinelRetryStrategy: retryStrategy,
  };
}

/** The primary became a replica. A new connection goes to the new primary. */
function isFromReplica({ message }: Error): boolean {
  return message.startsWith('READONLY') || message.startsWith('UNBLOCKED');
}

function retryStrategy(attempts: number): number {
  return Math.min(attempts * 50, longestReconnectWaitMs);
}

/** A failover may take minutes, and BullMQ's loop does not survive a failed command. */
const endlessRedirections = 1_000_000;
const resendAfterMs = 100;

function openCluster(target: RedisTarget, { server, isResent }: ConnectionOptions): Cluster {
  const resending: ClusterOptions = isResent
    ? { maxRedirections: endlessRedirections }
    : { retryDelayOnFailover: 0, retryDelayOnClusterDown: 0 };
  const Class = isResent ? Cluster : FailFastCluster;
  const cluster = new Class(target.nodes, {
    retryDelayOnFailover: resendAfterMs,
    retryDelayOnClusterDown: resendAfterMs,
    ...resending,
    clusterRetryStrategy: retryStrategy,
    // A certificate is checked against the name, not against its address.
    dnsLookup: (host, done) => done(null, host),
    redisOptions: { ...getServerOptions(target), ...server },
  });
  // A replica that is promoted has its connection already.
  cluster.on('+node', (node: Redis) => void node.connect().catch(() => undefined));
  return cluster;
}

/**
 * ioredis' own choices are to keep commands until the Cluster is reachable, without a time limit, or to refuse also those
 * for a node whose connection is just being opened.
 */
class FailFastCluster extends Cluster {
  override sendCommand(command: Command, ...rest: SendRest): unknown {
    if (this.status === 'ready' || command.name === 'cluster') {
      return super.sendCommand(command, ...rest);
    }
    command.reject(new Error(`The Redis Cluster is not reachable (${this.status})`));
    return command.promise;
  }
}

type SendRest = Parameters<Cluster['sendCommand']> extends [unknown, ...infer Rest] ? Rest : never;
