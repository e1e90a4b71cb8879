import { type BenchContext, type BenchLine, emptyStores, summarizeLines } from './bench-context';
import { createSeries, runRounds } from './rounds';
import { startWholeSystem, systemRound } from './system-lines';

/** Few rounds: these lines are not compared round by round. */
const few = { rounds: 3, leastRounds: 1, budgetMs: 45_000 };

/** The whole system with few and with many stored messages. */
export async function measureStored(context: BenchContext): Promise<BenchLine[]> {
  const series = createSeries();
  for (const stored of [1_000, 1_000_000]) {
    await measureWith(context, stored, (figures) =>
      series.add(`${stored.toLocaleString('en')} stored messages`, figures),
    );
  }
  return summarizeLines(series);
}

async function measureWith(
  context: BenchContext,
  stored: number,
  add: (figures: Record<string, number>) => void,
): Promise<void> {
  context.onProgress(`writing ${stored} messages`);
  await emptyStores(context);
  await writeSettled(context, stored);
  const system = await startWholeSystem(context, { gateways: 1, workers: 1 });
  try {
    await runRounds({ ...few, signal: context.signal }, async (index) => {
      context.onProgress(`${stored} stored messages: round ${index + 1}`);
      add(
        await systemRound(context, system.gateways, {
          connections: 64,
          sliceMs: 6_000,
          keepsStored: true,
        }),
      );
    });
  } finally {
    await system.stop();
  }
}

const dayMs = 24 * 3_600_000;
/** Rows that a busy machine inserts well within the statement timeout. */
const rowsPerStatement = 10_000;

/** Finished requests of one day, which ends `daysAgo`; each with its key, message and attempt. */
export async function writeSettled(
  { world, signal }: BenchContext,
  messages: number,
  daysAgo = 0,
): Promise<void> {
  const startMs = Date.now() - (daysAgo + 1) * dayMs;
  const { tenant, events, integrationIds, database } = world;
  for (let from = 0; from < messages; from += rowsPerStatement) {
    signal.throwIfAborted();
    await database.delivery.query(statement, [
      tenant.accountId,
      tenant.appId,
      events.sms[0].eventId,
      events.sms[0].versionId,
      integrationIds[0],
      from,
      Math.min(from + rowsPerStatement, messages) - 1,
      startMs,
      dayMs / messages,
    ]);
  }
  await database.delivery.query('ANALYZE message, request, request_item, attempt, idempotency_key');
}

const atMs = '$8::float8 + number * $9::float8';
/** As in UUID v7, the creation time is at the beginning. */
const timeOrderedId = `overlay(gen_random_uuid()::text PLACING
    regexp_replace(lpad(to_hex((${atMs})::bigint), 12, '0'), '(.{8})', '\\1-') FROM 1 FOR 13)::uuid`;

const statement = `
WITH n AS MATERIALIZED (
  SELECT ${timeOrderedId} AS request_id, ${timeOrderedId} AS id, number, to_timestamp((${atMs}) / 1000) AS at
  FROM generate_series($6::int, $7::int) number
), r AS (
  INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items, created_at)
  SELECT request_id, $1, $2, $3, $4, 'single', 1, 1, at FROM n
), i AS (
  INSERT INTO request_item (request_id, item, recipient, data, planned_at)
  SELECT request_id, 0, '{"mobile":"+12025550123"}', '{"name":"Ana"}', at FROM n
), k AS (
  INSERT INTO idempotency_key (account_id, key_hash, fingerprint, ring_key_id, request_id, status)
  SELECT $1, sha256(uuid_send(id)), sha256(uuid_send(request_id)), 'k1', request_id, 200 FROM n
), m AS (
  INSERT INTO message (id, request_id, item, app_id, channel, target, integration_id, created_at, expires_at, state, attempts, settled_at)
  SELECT id, request_id, 0, $2, 'sms', '+1202' || lpad(number::text, 7, '0'), $5, at, at + interval '1 day', 'sent', 1, at FROM n
)
INSERT INTO attempt (message_id, number, integration_id, provider, outcome, opened_at, closed_at)
SELECT id, 1, $5, 'twilio', 'accepted', at, at FROM n`;
