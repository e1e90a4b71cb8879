import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort, findRedisProgram, hasEnded, isAlive } from '@belfry/embedded';
import { Redis, type RedisOptions } from 'ioredis';
import { eventually } from './eventually';
import { repositoryRoot } from './test-stores';

/** A Redis server, a Sentinel or a node of a Cluster on loopback, which a test may kill, freeze and restart. */
export type RedisServer = {
  readonly port: number;
  readonly folder: string;
  /** Sends a command as the server's administrator. */
  ask(...command: (string | number)[]): Promise<unknown>;
  kill(): Promise<void>;
  /** Starts it again after `kill`, with its data. */
  start(): Promise<void>;
  pause(): void;
  resume(): void;
  remove(): Promise<void>;
};

export type RedisServerOptions = {
  kind?: 'server' | 'sentinel';
  /** Lines of its configuration. */
  lines?: string[];
  password?: string;
  /** Options of the administrator's connection, for TLS. */
  admin?: Omit<RedisOptions, 'replyMapping'>;
};

const startTimeoutMs = 20_000;
const killTimeoutMs = 10_000;
const answerTimeoutMs = 2_000;

export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const { kind = 'server', password = 'secret', admin } = options;
  const program = await findRedisProgram(path.join(repositoryRoot, '.belfry', 'cache'));
  const parent = process.env['TEST_FOLDER'] ?? tmpdir();
  const folder = mkdtempSync(path.join(parent, `belfry-own-redis-${kind}-`));
  const port = await findFreePort();
  const config = path.join(folder, 'redis.conf');
  const file = { folder, port, password, kind, lines: options.lines ?? [] };
  writeFileSync(config, writeConfig(file), { mode: 0o600 });
  let pid = 0;

  function connect(): Redis {
    const server = new Redis({
      ...{ host: '127.0.0.1', port, password, commandTimeout: answerTimeoutMs },
      ...{ retryStrategy: null, maxRetriesPerRequest: 0, enableReadyCheck: false },
      ...admin,
    });
    server.on('error', () => undefined);
    return server;
  }

  async function ask(...[name = '', ...args]: (string | number)[]): Promise<unknown> {
    const connection = connect();
    try {
      return await connection.call(String(name), ...args);
    } finally {
      connection.disconnect();
    }
  }

  async function start(): Promise<void> {
    const child = spawn(program.command, [config, ...(kind === 'sentinel' ? ['--sentinel'] : [])], {
      stdio: 'ignore',
      ...(program.env ? { env: program.env } : {}),
    });
    pid = child.pid ?? 0;
    const isUp = () => ask('ping');
    await eventually(isUp, { timeoutMs: startTimeoutMs }).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${readFileSync(path.join(folder, 'server.log'), 'utf8')}`);
    });
  }

  async function kill(): Promise<void> {
    if (pid === 0 || !isAlive(pid)) return;
    process.kill(pid, 'SIGKILL');
    if (!(await hasEnded(pid, killTimeoutMs))) throw new Error('Redis outlived SIGKILL');
  }

  await start();
  return {
    port,
    folder,
    ask,
    kill,
    start,
    pause: () => process.kill(pid, 'SIGSTOP'),
    resume: () => process.kill(pid, 'SIGCONT'),
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Config = Required<Pick<RedisServerOptions, 'kind' | 'lines' | 'password'>> & {
  folder: string;
  port: number;
};

function writeConfig({ folder, port, password, kind, lines }: Config): string {
  const server = ['appendonly yes', 'save ""', 'maxmemory-policy noeviction'];
  return [
    'bind 127.0.0.1',
    // A later line of a TLS server replaces it.
    `port ${port}`,
    ...(password ? [`requirepass ${password}`] : []),
    `dir "${folder}"`,
    `pidfile "${path.join(folder, 'server.pid')}"`,
    `logfile "${path.join(folder, 'server.log')}"`,
    ...(kind === 'server' ? server : []),
    ...lines.map((line) => line.replaceAll('{port}', String(port)).replaceAll('{folder}', folder)),
    '',
  ].join('\n');
}
