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

/** Rows that a busy machine inserts well within the statement timeout. */
const rowsPerStatement = 10_000;

/** Finished requests, each with its key, message and attempt. */
export async function writeSettled(
  { world, signal }: BenchContext,
  messages: number,
): Promise<void> {
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
    ]);
  }
  await database.delivery.query('ANALYZE message, request, request_item, attempt, idempotency_key');
}

const statement = `
WITH n AS MATERIALIZED (
  SELECT gen_random_uuid() AS request_id, gen_random_uuid() AS id, number FROM generate_series($6::int, $7::int) number
), r AS (
  INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items)
  SELECT request_id, $1, $2, $3, $4, 'single', 1, 1 FROM n
), i AS (
  INSERT INTO request_item (request_id, item, recipient, data, planned_at)
  SELECT request_id, 0, '{"mobile":"+12025550123"}', '{"name":"Ana"}', now() FROM n
), k AS (
  INSERT INTO idempotency_key (account_id, key_hash, fingerprint, ring_key_id, request_id, status)
  SELECT $1, sha256(uuid_send(id)), sha256(uuid_send(request_id)), 'k1', request_id, 200 FROM n
), m AS (
  INSERT INTO message (id, request_id, item, app_id, channel, target, integration_id, expires_at, state, attempts, settled_at)
  SELECT id, request_id, 0, $2, 'sms', '+1202' || lpad(number::text, 7, '0'), $5, now() + interval '1 day', 'sent', 1, now() FROM n
)
INSERT INTO attempt (message_id, number, integration_id, provider, outcome, closed_at)
SELECT id, 1, $5, 'twilio', 'accepted', now() FROM n`;
