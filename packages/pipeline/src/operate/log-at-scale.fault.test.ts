import { callDataStatement, createDatabase, type Database } from '@belfry/database';
import { createLogger } from '@belfry/runtime';
import { messageStates } from '@belfry/shared';
import { createFactories, type Tenant, testDatabase } from '@belfry/testing';
import pg from 'pg';
import type { LogFilter } from './log-conditions.sql';
import { waitStatement } from './queue-counts';
import { entryStatements } from './request-log';
import { logStatement, requestsWalked, skipStatement } from './request-log.sql';

const requests = 250_000;
const messages = 1_000_000;
const fillTimeoutMs = 600_000;
const maxBuffers = 500;
/** Fifty requests without stored data are each looked up in three tables. */
const maxBuffersOfCalls = 700;
const states = Object.keys(messageStates);

let database: Database;
/** Without a statement timeout; our pools stop a statement after 30 s. */
let filler: pg.Client;
let tenant: Tenant;
let events: string[];

beforeAll(async () => {
  const { url } = await testDatabase();
  filler = new pg.Client({ connectionString: url });
  await filler.connect();
  const log = createLogger({ level: 'error', process: 'test' });
  database = createDatabase({ url, poolSize: 2, log });
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  events = [];
  for (let count = 0; count < 5; count += 1) {
    events.push((await factories.createEvent(tenant, {})).eventId);
  }
  await fill();
}, fillTimeoutMs);

afterAll(async () => {
  // Files of this worker share the database.
  await filler.query('TRUNCATE request, request_item, message, attempt, receipt CASCADE');
  await filler.end();
  await database.close();
}, fillTimeoutMs);

/** One request for each of the last 250,000 seconds, to four channels. */
const requestId = `(lpad(to_hex(1760000000000 + n * 1000), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`;
const messageId = `(lpad(to_hex(1760000000000 + n * 1000), 12, '0') || '7' || lpad(to_hex(c), 3, '0') || '9000' || lpad(to_hex(n), 12, '0'))::uuid`;

/** A backlog, whose oldest messages are being sent. */
const waiting = 20_000;
const isWaiting = `n > ${requests - waiting}`;
const isSent = `n BETWEEN ${requests - waiting + 1} AND ${requests - waiting + 100}`;

async function fill(): Promise<void> {
  const each = `FROM generate_series(1, ${requests}) n`;
  const four = `${each} CROSS JOIN generate_series(0, 3) c`;
  await filler.query('SET synchronous_commit = off');
  await filler.query(
    `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items, idempotency_key)
       SELECT ${requestId}, $1, $2, ($3::uuid[])[1 + n % 5], $2, 'single', 1, 1, 'key-' || n ${each}`,
    [tenant.accountId, tenant.appId, events],
  );
  await filler.query(
    `INSERT INTO request_item (request_id, item, recipient, skips, planned_at)
       SELECT ${requestId}, 0, '{"user_id":"user-' || n % 5000 || '"}',
         CASE WHEN n % 50 = 0 THEN '{"telegram": {"reason": "no_address"}}'::jsonb END, now() ${each}`,
  );
  await filler.query(
    `INSERT INTO message (id, request_id, item, app_id, channel, target, state, expires_at, due_at, job_id)
       SELECT ${messageId}, ${requestId}, 0, $1, ($2::text[])[1 + c], 'target-' || n % 20000,
         CASE WHEN n > ${requests} - 100 THEN 'sent' WHEN (n + c) % 5000 = 0 THEN 'failed'
              WHEN ${isSent} THEN 'sending' WHEN ${isWaiting} THEN 'queued'
              WHEN c = 2 THEN 'delivered' ELSE 'sent' END, now(),
         CASE WHEN ${isWaiting} AND n <= ${requests} - 100 AND (n + c) % 5000 > 0 THEN now() END,
         CASE WHEN ${isSent} THEN ${messageId} END ${four}`,
    [tenant.appId, ['email', 'slack', 'sms', 'whatsapp']],
  );
  await filler.query(
    `INSERT INTO attempt (message_id, number, provider, outcome)
       SELECT ${messageId}, 1, ($1::text[])[1 + c], 'accepted' ${four}`,
    [['smtp', 'slack', 'twilio', 'meta']],
  );
  await filler.query('ANALYZE request, request_item, message, attempt');
}

type Plan = {
  'Node Type': string;
  'Relation Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
};

async function explain(statement: { text: string; values: unknown[] }): Promise<Plan> {
  const { rows } = await database.requestLog.query(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement.text}`,
    statement.values,
  );
  return rows[0]['QUERY PLAN'][0].Plan;
}

function listNodes(plan: Plan): string[] {
  return [plan['Node Type'], ...(plan.Plans ?? []).flatMap(listNodes)];
}

/** Tables that the plan scans in full, without those that have few rows. */
function walkedTables(plan: Plan, scans = /Seq Scan|Bitmap Heap/): string[] {
  const table = plan['Relation Name'] ?? '';
  const own = scans.test(plan['Node Type']) && !smallTables.includes(table) ? [table] : [];
  return [...own, ...(plan.Plans ?? []).flatMap((child) => walkedTables(child, scans))];
}

const smallTables = ['event_version', 'channel_pause'];

function createFilter(filter: Partial<LogFilter>): LogFilter {
  return { appId: tenant.appId, ...filter };
}

function createId(n: number): string {
  const hex = (1_760_000_000_000 + n * 1_000).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

describe(`the log at ${messages} messages`, () => {
  const all = ['email', 'slack', 'sms', 'whatsapp', 'telegram', 'in_app'];

  test.each<[string, () => Partial<LogFilter>]>([
    ['nothing', () => ({})],
    ['a later page', () => ({ before: createId(100_000) })],
    ['time', () => ({ from: createId(50_000), before: createId(60_000) })],
    ['event', () => ({ eventIds: events.slice(0, 1) })],
    ['two events with one name', () => ({ eventIds: events.slice(0, 2) })],
    ['channel', () => ({ channels: ['sms'] })],
    ['a channel without messages', () => ({ channels: ['telegram'] })],
    ['state', () => ({ states: ['failed'], providerChannels: all })],
    ['queued', () => ({ states: ['queued'], providerChannels: all })],
    ['sending', () => ({ states: ['sending'], providerChannels: all })],
    ['queued and sending', () => ({ states: ['queued', 'sending'], channels: all })],
    ['a state without messages', () => ({ states: ['unknown'], providerChannels: all })],
    ['channel and state', () => ({ channels: ['email'], states: ['failed'] })],
    ['skipped', () => ({ states: ['skipped'], providerChannels: all })],
    ['provider', () => ({ provider: 'twilio', providerChannels: ['sms', 'whatsapp'] })],
    ['integration', () => ({ integrationIds: events.slice(0, 1), providerChannels: ['sms'] })],
    ['recipient', () => ({ recipient: 'target-77' })],
    ['user', () => ({ recipient: 'user-77' })],
    ['a recipient without messages', () => ({ recipient: 'nobody' })],
    [
      'an address of users',
      () => ({ recipient: 'target-77', recipientUserIds: ['user-1', 'user-2'] }),
    ],
    [
      'recipient and state',
      () => ({ recipient: 'user-77', states: ['failed'], providerChannels: all }),
    ],
    [
      'recipient and wait',
      () => ({ recipient: 'user-77', states: ['queued'], waits: 'due', providerChannels: all }),
    ],
    ['recipient and key', () => ({ recipient: 'target-77', idempotencyKey: 'key-77' })],
    ['request id', () => ({ requestId: createId(7) })],
    ['idempotency key', () => ({ idempotencyKey: 'key-77' })],
    [
      'everything',
      () => ({
        from: createId(1),
        eventIds: events.slice(0, 1),
        channels: ['sms'],
        states: ['delivered'],
        provider: 'twilio',
      }),
    ],
  ])(
    'is scanned by an index, without a sort, in at most 500 buffers: %s',
    async (_what, filter) => {
      const plan = await explain(logStatement(createFilter(filter()), states));
      const nodes = listNodes(plan);
      const buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      expect({
        nodes: nodes.filter((node) => /Seq Scan|Sort|Bitmap/.test(node)),
        isBounded: buffers <= maxBuffers || buffers,
      }).toEqual({ nodes: [], isBounded: true });
    },
  );

  test.each<[string, Partial<LogFilter>]>([
    ['all channels', { waits: 'due', providerChannels: all }],
    ['one channel', { waits: 'due', channels: ['sms'] }],
    ['a reason that no message has', { waits: 'limit', channels: ['sms'] }],
    [
      'an integration that no message has',
      { integrationIds: [createId(1)], providerChannels: ['sms'] },
    ],
  ])(
    'is scanned by an index in at most 11 buffers a request, if it shows the messages that wait: %s',
    async (_what, filter) => {
      const waiting = createFilter({ states: ['queued'], ...filter });
      const plan = await explain(logStatement(waiting, states));
      const buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      expect({
        read: walkedTables(plan),
        isBounded: buffers <= 11 * requestsWalked(waiting) || buffers,
      }).toEqual({ read: [], isBounded: true });
    },
  );

  test('counts the messages that wait by the indexes, in at most 2 buffers each', async () => {
    const counted = [[tenant.appId], ['email', 'slack', 'sms', 'whatsapp']];
    const plan = await explain({ text: waitStatement, values: counted });
    const buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    expect({
      read: walkedTables(plan),
      isBounded: buffers <= 2 * 40_000 || buffers,
    }).toEqual({ read: [], isBounded: true });
  });

  test('searches skipped recipients in at most 500 buffers a statement', async () => {
    const plan = await explain(skipStatement(createFilter({ recipient: 'nobody@example.com' })));
    const buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    expect({
      nodes: listNodes(plan).filter((node) => /Seq Scan|Bitmap/.test(node)),
      isBounded: buffers <= maxBuffers || buffers,
    }).toEqual({ nodes: [], isBounded: true });
  });

  test('reads the rows of a page in at most 500 buffers a statement', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => createId(100_000 + index));
    for (const statement of entryStatements(tenant.appId, ids)) {
      const plan = await explain(statement);
      const buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      expect({
        read: walkedTables(plan, /Seq Scan/),
        isBounded: buffers <= maxBuffers || buffers,
      }).toEqual({ read: [], isBounded: true });
    }
  });

  test('reads the last requests of an event in at most 700 buffers, and scans no big table', async () => {
    const plan = await explain({ text: callDataStatement, values: [tenant.appId, events[0]] });
    const buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    expect({
      read: walkedTables(plan),
      isBounded: buffers <= maxBuffersOfCalls || buffers,
    }).toEqual({ read: [], isBounded: true });
  });
});
