import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Database } from '@belfry/database';
import { isPlanned } from '@belfry/pipeline/operate';
import { waitForRedis } from '@belfry/runtime';
import type { Entry, LeakEntry } from './recording';
import type { World } from './world';

/** Reads the database at the end of a run, with its times converted to the clock of the run. */
export async function readRows({ delivery }: Database): Promise<Entry[]> {
  const offsetMs = Date.now() - performance.now();
  const requests = await delivery.query<RequestRow>(
    'SELECT id, account_id, app_id, idempotency_key AS key, items FROM request',
  );
  const messages = await delivery.query<MessageRow>(
    `SELECT id, request_id, item, channel, target, state, reason, attempts, unknown_count,
            extract(epoch FROM settled_at)::float8 * 1000 AS settled FROM message`,
  );
  const attempts = await delivery.query<AttemptRow>(
    `SELECT message_id, number, worker, outcome, reason, is_possible_duplicate,
            extract(epoch FROM opened_at)::float8 * 1000 AS opened,
            extract(epoch FROM closed_at)::float8 * 1000 AS closed FROM attempt`,
  );
  return [
    ...requests.rows.map(toRequestEntry),
    ...messages.rows.map((row) => toMessageEntry(row, offsetMs)),
    ...attempts.rows.map((row) => toAttemptEntry(row, offsetMs)),
  ];
}

type RequestRow = {
  id: string;
  account_id: string;
  app_id: string;
  key: string | null;
  items: number;
};

function toRequestEntry({ id, account_id, app_id, key, items }: RequestRow): Entry {
  return { type: 'request', id, accountId: account_id, appId: app_id, key: key ?? '', items };
}

type MessageRow = {
  id: string;
  request_id: string;
  item: number;
  channel: string;
  target: string;
  state: string;
  reason: string | null;
  attempts: number;
  unknown_count: number;
  settled: number | null;
};

function toMessageEntry(row: MessageRow, offsetMs: number): Entry {
  return {
    type: 'message',
    id: row.id,
    requestId: row.request_id,
    item: row.item,
    channel: row.channel,
    target: row.target,
    state: row.state,
    reason: row.reason ?? undefined,
    attempts: row.attempts,
    unknownCount: row.unknown_count,
    settledMs: toLocalMs(row.settled, offsetMs),
  };
}

type AttemptRow = {
  message_id: string;
  number: number;
  worker: string | null;
  outcome: string | null;
  reason: string | null;
  is_possible_duplicate: boolean;
  opened: number;
  closed: number | null;
};

function toAttemptEntry(row: AttemptRow, offsetMs: number): Entry {
  return {
    type: 'attempt',
    messageId: row.message_id,
    number: row.number,
    openedMs: row.opened - offsetMs,
    closedMs: toLocalMs(row.closed, offsetMs),
    pid: parsePid(row.worker),
    outcome: row.outcome ?? undefined,
    reason: row.reason ?? undefined,
    isPossibleDuplicate: row.is_possible_duplicate,
  };
}

function toLocalMs(ms: number | null, offsetMs: number): number | undefined {
  return ms === null ? undefined : ms - offsetMs;
}

/** A worker is `<host>:<pid>`. */
function parsePid(worker: string | null): number | undefined {
  const pid = Number(worker?.split(':').at(-1));
  return Number.isInteger(pid) ? pid : undefined;
}

/** Counts messages, items and webhooks that are still to be processed. */
export async function countOpen({ delivery }: Database): Promise<number> {
  const { rows } = await delivery.query<{ open: number }>(
    `SELECT (SELECT count(*) FROM message WHERE state IN ('queued', 'sending'))::int
          + (SELECT count(*) FROM request_item i JOIN request r ON r.id = i.request_id
             WHERE NOT ${isPlanned('i', 'r')})::int
          + (SELECT count(*) FROM webhook_delivery WHERE outcome = 'waiting')::int AS open`,
  );
  return rows[0]?.open ?? 0;
}

/** Addresses of recipients and template output. They may be in PostgreSQL, but neither in Redis nor in a log. */
const personal = /person\d+@example\.org|\+452\d{7}|Hello (Ana|Eve)/;

/** Searches for planted secrets everywhere, and for personal data in logs and in Redis. */
export async function findLeaks(world: World, bodies: readonly string[]): Promise<LeakEntry[]> {
  const secrets = listSecrets(world);
  const redis = await readRedis(world);
  const logs = world.members.map(({ name, output }) => [`the log of ${name}`, output().join('\n')]);
  const texts = [...logs, ['Redis', redis], ['an answer', bodies.join('\n')]];
  const leaks = texts.flatMap(([place = '', text = '']) => [
    ...secrets.filter((secret) => text.includes(secret)).map(() => createLeak('a secret', place)),
    ...(place !== 'an answer' && personal.test(text) ? [createLeak('personal data', place)] : []),
  ]);
  return [...leaks, ...(await findInTables(world.database, secrets))];
}

/** Shorter texts, and those of zeros, occur everywhere. */
const leastSecretCharacters = 16;

function listSecrets({ tenants, simulated }: World): string[] {
  const credentials = Object.values(simulated.channels).flatMap((channel) =>
    Object.entries(channel.credentials).flatMap(([name, value]) =>
      typeof value === 'string' && !/_sid$/.test(name) ? [value] : [],
    ),
  );
  return [...credentials, ...tenants.map(({ apiKey }) => apiKey)].filter(
    (secret) => secret.length >= leastSecretCharacters && new Set(secret).size > 1,
  );
}

function createLeak(what: string, place: string): LeakEntry {
  return { type: 'leak', what, place };
}

const mostRedisKeys = 20_000;

const redisComesBackMs = 10_000;

async function readRedis({ redisClient }: World): Promise<string> {
  // The last fault may have hit Redis itself, and a client reconnects slightly later than its server.
  if (!(await waitForRedis(redisClient, redisComesBackMs))) throw new Error('Redis stayed away');
  const keys = (await redisClient.keys('*')).slice(0, mostRedisKeys);
  const values = await Promise.all(keys.map((key) => redisClient.dumpBuffer(key)));
  return keys.concat(values.map((value) => value?.toString('latin1') ?? '')).join('\n');
}

async function findInTables({ delivery }: Database, secrets: string[]): Promise<LeakEntry[]> {
  const { rows: tables } = await delivery.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const patterns = secrets.map((secret) => `%${secret.replace(/[\\%_]/g, '\\$&')}%`);
  const leaks: LeakEntry[] = [];
  for (const { name } of tables) {
    const { rows } = await delivery.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${name} t WHERE t::text LIKE ANY ($1)`,
      [patterns],
    );
    if ((rows[0]?.count ?? 0) > 0) leaks.push(createLeak('a secret', `the table ${name}`));
  }
  return leaks;
}

/** Memory and handles of each process, if the system reports them. */
export function readResources({ members }: World): Entry[] {
  if (!existsSync('/proc/self/status')) return [];
  return members.map(({ name, pid }) => {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
    const handles = readdirSync(`/proc/${pid}/fd`).length;
    return { type: 'resource', name, residentBytes: kilobytes * 1_024, handles };
  });
}
