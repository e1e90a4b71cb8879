import {
  createAccountApps,
  createSystemActor,
  type Database,
  metadataTerm,
  type Queryable,
} from '@belfry/database';
import pg from 'pg';
import { channelVersion, createFactories, type Tenant } from '../factories';
import type { BenchContext } from './bench-context';
import {
  eventChannels,
  eventNames,
  listBulkStatements,
  listSingleStatements,
  messagesPerSingle,
  type StoredIds,
  type StoredShape,
} from './stored-pages.sql';

export type StoredPages = { shape: StoredShape; ids: StoredIds; endpointId: string };

const dayMs = 24 * 3_600_000;
const keptDays = 30;
const users = 200_000;
const bigBulks = 3;
const bigBulkShare = 0.02;
const smallBulks = 20;
const smallBulkShare = 0.001;
const connections = 2;
const rowsPerStatement = 250_000;
export const bigTables = [
  'request',
  'request_item',
  'request_term',
  'message',
  'attempt',
  'receipt',
  'webhook_delivery',
];

/**
 * About this many messages of three apps over 30 days: single sends of 200,000 users, and 23 bulks; 3 of these have 2 % of all
 * messages each. Some wait, failed or were skipped. The indexes are built at the end, so they are denser than those of a
 * system that grew.
 */
export async function fillPages(context: BenchContext, messages: number): Promise<StoredPages> {
  const shape = chooseShape(messages);
  const ids = await createStoredApps(context.world.database, context.world.tenant);
  const clients = await Promise.all(Array.from({ length: connections }, () => connect(context)));
  const [first] = clients;
  if (!first) throw new Error('No connection');
  try {
    await setTriggers(first, 'DISABLE');
    const indexes = await dropIndexes(first);
    context.onProgress(`pages: writing ${messages} messages`);
    await runAll(context, clients, [
      ...listRangeStatements({ shape, ids }, { from: 1, to: shape.singles }),
      ...listAllBulkStatements({ shape, ids }),
    ]);
    context.onProgress('pages: building indexes');
    await runAll(context, clients, indexes);
    await setTriggers(first, 'ENABLE');
    const { id: endpointId } = await createFactories(context.world.database).createWebhookEndpoint(
      { accountId: ids.accountId, appId: ids.appIds[0] ?? '' },
      { url: 'https://hooks.example.com/belfry', types: ['message.failed'] },
    );
    context.onProgress('pages: writing counts, users, webhooks and audit');
    await runAll(context, clients, listOtherStatements({ ids, shape, endpointId }));
    context.onProgress('pages: vacuum and statistics');
    await runAll(
      context,
      clients,
      [...bigTables, 'message_minute', 'app_user', 'audit_entry'].map(
        (table) => `VACUUM (ANALYZE) ${table}`,
      ),
    );
    await first.query('CHECKPOINT').catch(() => undefined);
    return { shape, ids, endpointId };
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

function chooseShape(messages: number): StoredShape {
  const bulks = [
    ...Array.from({ length: smallBulks }, () => Math.round(messages * smallBulkShare)),
    ...Array.from({ length: bigBulks }, () => Math.round(messages * bigBulkShare)),
  ];
  const ofBulks = bulks.reduce((sum, items) => sum + items, 0);
  const endMs = Date.now() - 60_000;
  return {
    singles: Math.round((messages - ofBulks) / messagesPerSingle),
    bulks,
    users,
    startMs: endMs - keptDays * dayMs,
    periodMs: keptDays * dayMs,
  };
}

/** Two more apps, and the events and integrations of all three. */
export async function createStoredApps(
  database: Pick<Database, 'lookUps'>,
  tenant: Pick<Tenant, 'accountId' | 'appId'>,
): Promise<StoredIds> {
  const { accountId, appId } = tenant;
  const factories = createFactories(database);
  const apps = createAccountApps(database.lookUps);
  const actor = createSystemActor(accountId);
  const appIds = [
    appId,
    await apps.create(actor, { name: 'Shop', delivery: 'live' }),
    await apps.create(actor, { name: 'Staging', delivery: 'sandbox' }),
  ];
  const integrate = async (name: string, channel: string, provider: string) =>
    (await factories.createIntegration(tenant, { name, channel, provider })).id;
  const integrationIds = {
    email: await integrate('mail_main', 'email', 'smtp'),
    push: await integrate('push_main', 'push', 'fcm'),
    slack: await integrate('slack_main', 'slack', 'slack'),
    sms: await integrate('sms_main', 'sms', 'twilio'),
  };
  const events: { eventId: string; versionId: string }[] = [];
  for (const owner of appIds) {
    for (const [index, channels] of eventChannels.entries()) {
      const versions = channels.map((channel) => [channel, channelVersion({ text: 'Hello' })]);
      events.push(
        await factories.createEvent({ accountId, appId: owner }, Object.fromEntries(versions), {
          name: eventNames[index] ?? '',
        }),
      );
    }
  }
  return {
    accountId,
    appIds,
    eventIds: events.map(({ eventId }) => eventId),
    versionIds: events.map(({ versionId }) => versionId),
    integrationIds,
    rareIntegrationId: await integrate('mail_rare', 'email', 'sendgrid'),
    needsAttentionId: await integrate('mail_attention', 'email', 'smtp'),
  };
}

async function connect({ world }: BenchContext): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  await client.query("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'");
  return client;
}

/** Webhooks are written below, because a trigger for each row takes longer than the row. */
export async function setTriggers(client: Queryable, how: 'ENABLE' | 'DISABLE'): Promise<void> {
  for (const table of ['request', 'request_item', 'message']) {
    await client.query(`ALTER TABLE ${table} ${how} TRIGGER USER`);
  }
}

/** Drops all indexes of the big tables but primary keys. Returns the statements that create them. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
     FROM pg_index i WHERE i.indrelid = ANY ($1::regclass[]) AND NOT i.indisprimary ORDER BY i.indrelid`,
    [bigTables],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return rows.map(({ definition }) => definition);
}

type Statement = string | { text: string; values: unknown[] };

/** Each connection takes the next statement. */
async function runAll(
  { signal }: BenchContext,
  clients: readonly pg.Client[],
  statements: readonly Statement[],
): Promise<void> {
  const waiting = [...statements];
  await Promise.all(
    clients.map(async (client) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        signal.throwIfAborted();
        await client.query(next as string);
      }
    }),
  );
}

/** Writes the single sends with these numbers. */
export function listRangeStatements(
  { shape, ids }: Pick<StoredPages, 'shape' | 'ids'>,
  { from, to }: { from: number; to: number },
): Statement[] {
  const texts = listSingleStatements(shape, ids);
  const statements: Statement[] = [];
  for (let first = from; first <= to; first += rowsPerStatement) {
    const values = [first, Math.min(first + rowsPerStatement - 1, to)];
    statements.push(...texts.map((text) => ({ text, values })));
  }
  return statements;
}

export function listAllBulkStatements({
  shape,
  ids,
}: Pick<StoredPages, 'shape' | 'ids'>): Statement[] {
  return [...shape.bulks.keys()].flatMap((index) => listBulkStatements(shape, ids, index));
}

/** Counts of the overview as the relay writes them, stored users, webhooks of failures, and audit entries. */
export function listOtherStatements({
  ids: { accountId, appIds },
  shape: { users, startMs, periodMs },
  endpointId,
}: StoredPages): string[] {
  const count = (states: string) =>
    `count(*) FILTER (WHERE state IN (${states
      .split(' ')
      .map((state) => `'${state}'`)
      .join(', ')}))::int`;
  const first = (ms: number) => `(lpad(to_hex(${ms}::bigint), 12, '0') || repeat('0', 20))::uuid`;
  const end = startMs + periodMs;
  return [
    `INSERT INTO message_minute (app_id, channel, minute, waiting, sent, delivered, read, failed, skipped, unknown, failures, latency)
     SELECT app_id, channel, date_trunc('minute', created_at), ${count('queued sending')}, ${count('sent')}, ${count('delivered')},
       ${count('read')}, ${count('failed')}, ${count('skipped')}, ${count('unknown')},
       jsonb_build_object('rejected_recipient', count(*) FILTER (WHERE reason = 'rejected_recipient'), 'bounced', 1),
       jsonb_build_object('12', 3, '13', count(*), '14', 2, '17', 1)
     FROM message WHERE id >= ${first(end - 8 * dayMs)} GROUP BY 1, 2, 3`,
    `INSERT INTO counted_minute (minute, counted_at, recount_at)
     SELECT generate_series(date_trunc('minute', now()) - interval '8 days', now() - interval '2 minutes', interval '1 minute'), now(), now() + interval '1 day'`,
    `INSERT INTO app_user (id, app_id, user_id, contact)
     SELECT gen_random_uuid(), '${appIds[0]}', 'user-' || u,
       jsonb_build_object('email', 'user' || u || '@example.com', 'mobile', '+1202' || lpad(u::text, 7, '0'))
     FROM generate_series(0, ${users - 1}) u`,
    `INSERT INTO request_term (app_id, term, request_id)
     SELECT r.app_id, ${metadataTerm("'order:' || (i.metadata::jsonb ->> 'order')")}, r.id
     FROM request_item i JOIN request r ON r.id = i.request_id WHERE i.metadata IS NOT NULL`,
    `INSERT INTO webhook_delivery (id, endpoint_id, app_id, type, message_id, data, occurred_at, outcome, next_at)
     SELECT m.id, '${endpointId}', m.app_id, 'message.failed', m.id,
       jsonb_build_object('request_id', m.request_id, 'item', m.item, 'message_id', m.id, 'channel', m.channel, 'state', m.state, 'reason', m.reason),
       m.created_at, CASE WHEN m.item % 50 = 7 OR get_byte(uuid_send(m.id), 15) < 10 THEN 'failed' ELSE 'delivered' END, NULL
     FROM message m WHERE m.app_id = '${appIds[0]}' AND m.log_state = 'failed'`,
    `INSERT INTO audit_entry (id, account_id, action, subject, created_at)
     SELECT (lpad(to_hex(${startMs} + n * ${Math.floor(periodMs / 50_000)}::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, '${accountId}',
       (ARRAY['event.published', 'integration.changed', 'message.resent', 'channel.paused'])[n % 4 + 1], 'subject-' || n, now()
     FROM generate_series(1, 50000) n`,
    `INSERT INTO channel_pause (app_id, channel) SELECT unnest(ARRAY[${appIds.map((id) => `'${id}'`).join(', ')}]::uuid[]), 'push'`,
    `UPDATE integration SET state = 'needs_attention', state_reason = 'The password was refused.' WHERE name = 'mail_attention'`,
  ];
}
