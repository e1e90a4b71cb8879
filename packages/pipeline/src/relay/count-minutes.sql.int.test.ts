import type { Database, Queryable } from '@belfry/database';
import { createLogger, newId } from '@belfry/runtime';
import {
  channelVersion,
  countReads,
  createFactories,
  openDatabase,
  ownDatabase,
  type PastMessage,
  type Plan,
  type Tenant,
  writePastMessages,
} from '@belfry/testing';
import { createOverview } from '../operate/overview.sql';
import { writeReceipts } from '../operate/receipts';
import { writeGenerations } from '../operate/write-generations.sql';
import { createMinuteCount } from './count-minutes';
import { countMinute, removeOldMinutes } from './count-minutes.sql';
import { withMinutesLock } from './retention-lock';

jest.setTimeout(60_000);

const log = createLogger({ level: 'error', process: 'test' });
const minuteMs = 60_000;

// A database of its own, because a run counts the messages of all tests.
let database: Database;
let dropDatabase: () => Promise<void>;
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeAll(async () => {
  const own = await ownDatabase();
  database = openDatabase({ url: own.url, poolSize: 4 });
  dropDatabase = async () => {
    await database.close();
    await own.drop();
  };
  ({ tenant, event } = await createOwnEvent());
});

async function createOwnEvent() {
  const factories = createFactories(database);
  const created = await factories.createTenant();
  const channels = { email: channelVersion({ subject: 'x' }) };
  return { tenant: created, event: await factories.createEvent(created, channels) };
}

afterAll(() => dropDatabase());

const write = (messages: PastMessage[]) => writePastMessages({ database, tenant, event }, messages);

/** Counts until no minute is due. */
async function countAll(): Promise<void> {
  const { runOnce } = createMinuteCount({
    withLock: (work) => withMinutesLock(database.delivery, work),
    now: Date.now,
    log,
  });
  const due = `SELECT count(*)::int AS due FROM counted_minute WHERE recount_at <= now()`;
  for (let left = 1; left > 0; ) {
    await runOnce();
    left = (await database.lookUps.query<{ due: number }>(due)).rows[0]?.due ?? 0;
  }
}

type Row = Record<string, unknown> & { channel: string; minute: Date };

async function readRows(at: number): Promise<Row[]> {
  const { rows } = await database.lookUps.query<Row>(
    `SELECT * FROM message_minute WHERE app_id = $1 AND minute = $2 ORDER BY channel`,
    [tenant.appId, new Date(toMinute(at))],
  );
  return rows;
}

const toMinute = (ms: number) => Math.floor(ms / minuteMs) * minuteMs;
const none = { waiting: 0, sent: 0, delivered: 0, read: 0, failed: 0, skipped: 0, unknown: 0 };
const minutesAgo = (minutes: number) => toMinute(Date.now()) - minutes * minuteMs + 30_000;

const makeDue = (at: number) =>
  database.delivery.query('UPDATE counted_minute SET recount_at = now() WHERE minute = $1', [
    new Date(toMinute(at)),
  ]);

const states = ['queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'skipped', 'unknown'];
const reasons = ['expired', 'rejected_content', 'attempts_exhausted'];

/** 900 messages of the last 3 hours and of 6 days ago, in all states. */
function createMixedMessages(): PastMessage[] {
  return Array.from({ length: 900 }, (_, n) => {
    const state = states[(n * 7) % 8] ?? '';
    return {
      acceptedAt: minutesAgo(n % 3 === 0 ? 6 * 24 * 60 + (n % 40) : 10 + (n % 170)) - (n % 29_000),
      channel: n % 5 === 0 ? 'sms' : 'email',
      state,
      ...(state === 'failed' && { reason: reasons[n % 3] ?? '' }),
      ...(state !== 'queued' && { firstCallMs: 2 ** (n % 12) }),
    };
  });
}

/** Counts the messages themselves, in the shape of a row. */
function countDirectly(messages: PastMessage[]) {
  const rows = new Map<string, Record<string, number>>();
  for (const { acceptedAt, channel, state, reason, firstCallMs } of messages) {
    const key = `${new Date(toMinute(acceptedAt)).toISOString()} ${channel}`;
    const row = rows.get(key) ?? { ...none };
    rows.set(key, row);
    const add = (name: string) => {
      row[name] = (row[name] ?? 0) + 1;
    };
    add(state === 'queued' || state === 'sending' ? 'waiting' : state);
    if (reason) add(`failures.${reason}`);
    if (firstCallMs) add(`latency.${2 * Math.log2(firstCallMs)}`);
  }
  return Object.fromEntries(rows);
}

function flatten({ channel, minute, app_id: _app, failures, latency, ...row }: Row) {
  const named = (prefix: string, members: unknown) =>
    Object.entries(members as object).map(([name, value]) => [`${prefix}.${name}`, value]);
  const lists = [...named('failures', failures), ...named('latency', latency)];
  return [`${minute.toISOString()} ${channel}`, { ...row, ...Object.fromEntries(lists) }];
}

/** The plan of counting a minute, which is undone. */
async function explainCount(minute: Date): Promise<Plan> {
  const client = await database.delivery.connect();
  let plan: Plan | undefined;
  try {
    await client.query('BEGIN');
    const explaining = {
      async query(text: string, values: unknown[]) {
        const answer = await client.query(
          `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
          values,
        );
        plan = answer.rows[0]?.['QUERY PLAN'][0].Plan;
      },
    };
    await countMinute(explaining as unknown as Queryable, minute);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  if (!plan) throw new Error('No plan');
  return plan;
}

describe('counting minutes', () => {
  test('reads the rows of each request once, before they are analyzed', async () => {
    const own = await createOwnEvent();
    const writeMany = (count: number, acceptedAt: number) =>
      writePastMessages(
        { database, ...own },
        Array.from({ length: count }, () => ({
          ...{ acceptedAt, channel: 'email', state: 'sent', firstCallMs: 8 },
        })),
      );
    await writeMany(2_000, minutesAgo(31 * 24 * 60));
    await database.delivery.query('ANALYZE request, request_item, message, attempt');
    // PostgreSQL expects a single row of a minute that is between the statistics and the newest row.
    const counted = minutesAgo(5);
    await writeMany(400, counted);
    await writeMany(1, minutesAgo(3));
    const plan = await explainCount(new Date(toMinute(counted)));
    const tables = ['request', 'request_item', 'message', 'attempt'];
    const read = tables.map((table) => countReads(plan, table).rows);
    // Items and messages are read for the states, then for the times to the first call.
    expect(read).toEqual([400, 800, 800, 400]);
  });

  test('equals a count of the messages, and counting again changes nothing', async () => {
    const messages = createMixedMessages();
    await write(messages);
    const read = async () => {
      await countAll();
      const all = `SELECT * FROM message_minute WHERE app_id = $1`;
      const { rows } = await database.lookUps.query<Row>(all, [tenant.appId]);
      return Object.fromEntries(rows.map(flatten));
    };
    expect(await read()).toEqual(countDirectly(messages));
    await database.delivery.query('UPDATE counted_minute SET recount_at = now()');
    expect(await read()).toEqual(countDirectly(messages));
  });

  test('counts a skipped channel and an unplanned item, as the log does', async () => {
    const at = minutesAgo(200);
    const [sent] = await write([{ acceptedAt: at, channel: 'email', state: 'sent' }]);
    await database.delivery.query(
      `UPDATE request_item SET skips = '{"sms": {"reason": "no_address"}}' WHERE request_id = $1`,
      [sent?.requestId],
    );
    await database.delivery.query('UPDATE request SET items = 3 WHERE id = $1', [sent?.requestId]);
    await database.delivery.query(
      'INSERT INTO request_item (request_id, item) VALUES ($1, 1), ($1, 2)',
      [sent?.requestId],
    );
    await makeDue(at);
    await countAll();
    expect(await readRows(at)).toEqual([
      expect.objectContaining({ ...none, channel: 'email', sent: 1, waiting: 2 }),
      expect.objectContaining({ ...none, channel: 'sms', skipped: 1 }),
    ]);
  });

  test('counts a minute again after a receipt and after a resend of its messages', async () => {
    const at = minutesAgo(300);
    const [failed, sent] = await write([
      { acceptedAt: at, channel: 'email', state: 'failed', reason: 'expired' },
      { acceptedAt: at, channel: 'email', state: 'sent', firstCallMs: 5 },
    ]);
    await makeDue(at);
    await countAll();
    expect(await readRows(at)).toMatchObject([{ failed: 1, sent: 1, failures: { expired: 1 } }]);
    const [integrationId, messageId] = [newId(), sent?.messageId ?? ''];
    await database.delivery.query('UPDATE attempt SET integration_id = $2 WHERE message_id = $1', [
      messageId,
      integrationId,
    ]);
    const receipt = { appId: tenant.appId, integrationId, messageId, state: 'delivered' as const };
    const noDetails = { reason: undefined, errorCode: undefined, detail: undefined };
    await writeReceipts(database.delivery, [
      { ...receipt, ...noDetails, providerMessageId: undefined, body: '{}', identity: newId() },
    ]);
    await countAll();
    expect(await readRows(at)).toMatchObject([{ failed: 1, sent: 0, delivered: 1 }]);
    const resend = { id: newId(), messageId: failed?.messageId ?? '', state: 'failed' };
    await writeGenerations(database.delivery, { appId: tenant.appId, resendId: undefined }, [
      { ...resend, integrationId: null, timeToLiveMs: 60_000 },
    ]);
    await countAll();
    expect(await readRows(at)).toMatchObject([{ failed: 0, waiting: 1, delivered: 1 }]);
  });

  test('counts a minute again while its messages wait, and removes counts of removed requests', async () => {
    const at = minutesAgo(20);
    const [waiting] = await write([{ acceptedAt: at, channel: 'push', state: 'queued' }]);
    const minute = new Date(toMinute(at));
    await makeDue(at);
    await countAll();
    const { recountAt, countedAt } = await database.prisma.countedMinute.findUniqueOrThrow({
      where: { minute },
    });
    expect(recountAt.getTime() - (countedAt?.getTime() ?? 0)).toBeLessThan(65_000);
    await database.delivery.query('DELETE FROM message WHERE id = $1', [waiting?.messageId]);
    await makeDue(at);
    await countAll();
    expect((await readRows(at)).map(({ channel }) => channel)).not.toContain('push');
  });

  test('counts nothing while another process does', async () => {
    const work = jest.fn();
    await withMinutesLock(database.delivery, async () => {
      expect(await withMinutesLock(database.delivery, work)).toBe(false);
    });
    expect(work).not.toHaveBeenCalled();
  });

  test('says how many minutes of a range were never counted', async () => {
    const { countedMinute } = database.prisma;
    const { readProgress } = createOverview(database.lookUps);
    const from = new Date('2026-01-01T10:00:00Z');
    const before = await readProgress(from);
    const minutes = [-1, 0, 1].map((minute) => new Date(from.getTime() + minute * minuteMs));
    await countedMinute.createMany({ data: minutes.map((minute) => ({ minute })) });
    expect((await readProgress(from)).uncounted).toBe(before.uncounted + 2);
    await countedMinute.deleteMany({ where: { minute: { in: minutes } } });
  });

  test('keeps 8 days', async () => {
    await countAll();
    const newest = await database.prisma.countedMinute.count();
    await database.delivery.query(
      `UPDATE counted_minute SET minute = minute - interval '1 hour'
       WHERE minute < (SELECT min(minute) FROM counted_minute) + interval '30 minutes'`,
    );
    while ((await removeOldMinutes(database.delivery)) > 0);
    expect(await database.prisma.countedMinute.count()).toBe(newest - 30);
  });
});
