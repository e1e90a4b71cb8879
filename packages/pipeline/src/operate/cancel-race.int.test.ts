import type { Database } from '@belfry/database';
import {
  channelVersion,
  createFactories,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { claimEligibleMessages, claimMessages } from '../deliver/claim.sql';
import { recordResults } from '../deliver/record.sql';
import { resultFor } from '../message-row.fixture';
import { createCancelMessages } from './cancel-messages';

jest.setTimeout(300_000);

const messages = process.env['TEST_FULL'] ? 10_000 : 2_000;
const perRequest = 50;
const perClaim = 20;
const requestsPerKey = 4;

let database: Database;
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 8 });
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, { email: channelVersion({ subject: 'x' }) });
});

afterAll(() => database.close());

type Row = { id: string; requestId: string; cancelKey: string };

/** Planned bulks whose items share keys; most messages are due. */
async function writeBulks(): Promise<Row[]> {
  const { accountId, appId } = tenant;
  const { rows } = await database.lookUps.query<Row>(
    `WITH r AS (
       INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items, planned_to)
       SELECT gen_random_uuid(), $1, $2, $3, $4, 'bulk', $5::int, $5::int, $5::int FROM generate_series(1, $6)
       RETURNING id
     ), keyed AS (
       SELECT id, 'key-' || row_number() OVER () / $7::int AS key FROM r
     ), i AS (
       INSERT INTO request_item (request_id, item, cancel_key)
       SELECT id, n, key FROM keyed CROSS JOIN generate_series(0, $5::int - 1) n
     ), t AS (
       INSERT INTO request_term (app_id, term, request_id)
       SELECT $2, left(encode(sha256(convert_to('cancel_key:' || key, 'UTF8')), 'hex'), 32)::uuid, id FROM keyed
     ), m AS (
       INSERT INTO message (id, request_id, item, app_id, channel, target, due_at, expires_at)
       SELECT gen_random_uuid(), id, n, $2, 'email', n || '@example.com', now(), now() + interval '1 hour'
       FROM keyed CROSS JOIN generate_series(0, $5::int - 1) n RETURNING id, request_id
     )
     SELECT m.id, m.request_id AS "requestId", key AS "cancelKey" FROM m JOIN keyed ON keyed.id = m.request_id`,
    [
      accountId,
      appId,
      event.eventId,
      event.versionId,
      perRequest,
      messages / perRequest,
      requestsPerKey,
    ],
  );
  return rows;
}

/** A worker: claims chunks, and records what it claimed as sent. Returns what it sent. */
async function work(ids: string[], claim: typeof claimMessages): Promise<string[]> {
  const sent: string[] = [];
  for (let from = 0; from < ids.length; from += perClaim) {
    const chunk = { ids: ids.slice(from, from + perClaim), worker: 'test', leaseMs: 60_000 };
    const claims = await claim(database.delivery, chunk);
    const claimed = claims.flatMap((each) => (each?.kind === 'claimed' ? [each.message.id] : []));
    sent.push(...claimed);
    await recordResults(
      database.delivery,
      claimed.map((id) => resultFor(id, {})),
    );
  }
  return sent;
}

test(`a cancel that races ${messages} claims cancels or loses each message: cancelled plus sent is all, none is both`, async () => {
  const rows = await writeBulks();
  const keys = [...new Set(rows.map(({ cancelKey }) => cancelKey))];
  const shuffled = rows.map(({ id }) => id).sort();
  const half = shuffled.length / 2;
  const claimEligible: typeof claimMessages = async (pool, options) =>
    (await claimEligibleMessages(pool, options)).map((each) => each ?? { kind: 'stale' });
  const cancelMessages = createCancelMessages({
    pool: database.accepting,
    write: (run) => run(),
  });
  const none = { requestId: undefined, userIds: undefined, after: undefined };
  async function cancelAll(order: string[]) {
    const answers: { key: string; cancelled: number; tooLate: number }[] = [];
    for (const key of order) {
      const answer = await cancelMessages({ ...none, appId: tenant.appId, cancelKey: key });
      if (!answer) throw new Error('The key was not found');
      answers.push({ key, ...answer });
    }
    return answers;
  }
  const [first, second, answers] = await Promise.all([
    work(shuffled.slice(0, half), claimMessages),
    work(shuffled.slice(half), claimEligible),
    cancelAll(keys),
    // The same keys once more in the other order: two cancels meet.
    cancelAll(keys.toReversed()),
  ]);
  const sent = new Set([...first, ...second]);
  const stored = await database.prisma.message.findMany({ where: { appId: tenant.appId } });
  const cancelled = stored.filter(({ reason }) => reason === 'cancelled').map(({ id }) => id);
  const states = [...new Set(stored.map(({ state, reason }) => `${state} ${reason}`))].sort();
  // Both sides won something, else there was no race.
  expect(states).toEqual(['sent null', 'skipped cancelled']);
  expect(sent.size + cancelled.length).toBe(messages);
  expect(cancelled.filter((id) => sent.has(id))).toEqual([]);
  expect(answers.reduce((sum, answer) => sum + answer.cancelled, 0)).toBe(cancelled.length);
  expect(answers.reduce((sum, answer) => sum + answer.tooLate, 0)).toBe(sent.size);
  if (process.env['TEST_FULL']) {
    process.stderr.write(
      `${messages} messages: ${sent.size} sent, ${cancelled.length} cancelled\n`,
    );
  }
});
