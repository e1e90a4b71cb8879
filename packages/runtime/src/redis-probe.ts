import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Redis } from 'ioredis';
import {
  connectTimeoutMs,
  getSentinelOptions,
  getServerOptions,
  type ServerOptions,
} from './redis-connection';
import {
  describeMissingRights,
  describeRedisError,
  findModeProblem,
  formatNode,
  listProbeCommands,
  speaksNoTls,
  speaksTls,
} from './redis-problems';
import type { RedisNode, RedisTarget } from './redis-url';

/** A sentence that names the server and what to do. */
export type Refusal = { refusal: string };
/** The fields of INFO. */
export type ServerFacts = ReadonlyMap<string, string>;

/**
 * Asks one server on a connection of its own, because the long-lived ones hide why they fail. Rejects if the server is
 * unavailable.
 */
async function ask<T>(
  node: RedisNode,
  options: ServerOptions,
  question: (redis: Redis) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const redis = new Redis({
    ...node,
    ...options,
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: null,
    commandTimeout: connectTimeoutMs,
  });
  let cause: Error | undefined;
  redis.on('error', (error: Error) => {
    cause ??= error;
  });
  try {
    await redis.connect();
    if (cause) throw cause;
    return await question(redis);
  } catch (error) {
    const failure = cause ?? toError(error);
    const problem =
      describeRedisError(failure) ?? (await findOtherProtocol(node, options, failure));
    if (problem === undefined) throw failure;
    return refuse(node, problem);
  } finally {
    redis.disconnect();
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function refuse(node: RedisNode, problem: string): Refusal {
  return { refusal: `Redis: ${formatNode(node)} ${problem}` };
}

/**
 * A server that expects TLS closes a plain connection without a word; one that expects none waits for the end of what it takes
 * for a command.
 */
async function findOtherProtocol(
  node: RedisNode,
  { tls }: ServerOptions,
  { message }: Error,
): Promise<string | undefined> {
  if (tls) {
    const isSilent = message.includes('ETIMEDOUT');
    return isSilent && (await speaksPlain(node)) ? speaksNoTls : undefined;
  }
  const isClosed = /Connection is closed|ECONNRESET/.test(message);
  return isClosed && (await completesTls(node)) ? speaksTls : undefined;
}

/** Whether the certificate is trusted does not matter: nothing is sent. */
function completesTls({ host, port }: RedisNode): Promise<boolean> {
  const socket = connectTls({ host, port, rejectUnauthorized: false });
  return resolveFirst(socket, 'secureConnect', () => true);
}

function speaksPlain({ host, port }: RedisNode): Promise<boolean> {
  const socket = connect({ host, port });
  socket.write('PING\r\n');
  return resolveFirst(socket, 'data', (data) => /^[+-]/.test(String(data)));
}

/** False if the socket fails, or after 1 s. */
function resolveFirst(socket: Socket, event: string, judge: (data: unknown) => boolean) {
  return new Promise<boolean>((resolve) => {
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(connectTimeoutMs, () => end(false));
    socket.once('error', () => end(false));
    socket.once(event, (data) => end(judge(data)));
  });
}

/** INFO of a server, after checks of its kind and of the user's rights. */
export function readServer(
  node: RedisNode,
  target: RedisTarget,
  prefix: string,
): Promise<{ facts: ServerFacts } | Refusal> {
  return ask<{ facts: ServerFacts }>(node, getServerOptions(target), async (redis) => {
    const info = await redis.info().catch(readReply);
    if (info.startsWith('NOPERM')) {
      return refuse(node, describeMissingRights(info, target, prefix));
    }
    const facts = parseInfo(info);
    const problem = findModeProblem(facts, target, node);
    if (problem) return refuse(node, problem);
    const reason = await findMissingRight(redis, prefix);
    return reason ? refuse(node, describeMissingRights(reason, target, prefix)) : { facts };
  });
}

/** A refused command as text; other failures are thrown. */
function readReply(error: unknown): string {
  const { message } = toError(error);
  if (/^(NOPERM|ERR)/.test(message)) return message;
  throw error;
}

async function findMissingRight(redis: Redis, prefix: string): Promise<string | undefined> {
  const results = (await redis.pipeline(listProbeCommands(prefix)).exec()) ?? [];
  const messages = results.flatMap(([error]) => (error ? [error.message] : []));
  return messages.find((message) => message.includes('NOPERM'));
}

function parseInfo(info: string): ServerFacts {
  const pairs = info.split(/\r?\n/).flatMap((line): [string, string][] => {
    const [name, value] = line.split(/:(.*)/s);
    return name && value !== undefined ? [[name, value]] : [];
  });
  return new Map(pairs);
}

/** The primary that a Sentinel names. */
export function readPrimary(
  node: RedisNode,
  target: RedisTarget,
): Promise<{ primary: RedisNode } | Refusal> {
  const { masterName } = target;
  return ask<{ primary: RedisNode }>(node, getSentinelOptions(target), async (redis) => {
    const command = ['GET-MASTER-ADDR-BY-NAME', masterName];
    const reply: unknown = await redis.call('SENTINEL', command).catch(readReply);
    if (Array.isArray(reply)) {
      return { primary: { host: String(reply[0]), port: Number(reply[1]) } };
    }
    if (reply !== null) return refuse(node, await describeOther(redis, node));
    const names = await listPrimaries(redis);
    return refuse(
      node,
      `knows no primary "${masterName}", only ${names}. Correct the end of REDIS_URL.`,
    );
  });
}

async function describeOther(redis: Redis, node: RedisNode): Promise<string> {
  const facts = parseInfo(await redis.info().catch(() => ''));
  const scheme = facts.get('cluster_enabled') === '1' ? 'redis+cluster' : 'redis';
  return `is not a Sentinel. Use ${scheme}://${formatNode(node)}, or name the Sentinels.`;
}

async function listPrimaries(redis: Redis): Promise<string> {
  const reply: unknown = await redis.call('SENTINEL', 'MASTERS').catch(() => []);
  const names = (Array.isArray(reply) ? reply : []).flatMap((fields: unknown) =>
    Array.isArray(fields) ? [String(fields[fields.indexOf('name') + 1])] : [],
  );
  return names.length === 0 ? 'none' : names.map((name) => `"${name}"`).join(', ');
}

/** The primaries of the Cluster as a node sees them. */
export function readPrimaries(
  node: RedisNode,
  target: RedisTarget,
): Promise<{ primaries: RedisNode[] } | Refusal> {
  return ask<{ primaries: RedisNode[] }>(node, getServerOptions(target), async (redis) => {
    const slots: unknown = await redis.cluster('SLOTS').catch(readReply);
    if (!Array.isArray(slots)) return { primaries: [node] };
    const primaries = slots.map(([, , [host, port]]: [number, number, [string, number]]) => ({
      // Empty: the address through which the node was reached.
      host: host || node.host,
      port,
    }));
    return { primaries: primaries.length === 0 ? [node] : primaries };
  });
}
