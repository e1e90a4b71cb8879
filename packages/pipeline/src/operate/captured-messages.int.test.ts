import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  createFactories,
  type Factories,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { capturesPerApp, writeCapture } from '../deliver/capture.sql';
import { type CaptureFilter, findCaptures } from './captured-messages';

let database: Database;
let factories: Factories;
let tenant: Tenant;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 3 });
  factories = createFactories(database);
});
beforeEach(async () => {
  tenant = await factories.createTenant();
});
afterAll(() => database.close());

type New = { channel?: string; target?: string; messageId?: string; appId?: string };

async function capture({
  channel = 'email',
  target = 'ana@example.com',
  messageId = newId(),
  appId = tenant.appId,
}: New = {}): Promise<string> {
  await writeCapture(database.delivery, {
    appId,
    messageId,
    attempt: 1,
    channel,
    provider: 'smtp',
    target,
    content: { text: 'Hello' },
    request: { operation: 'SMTP', body: {} },
    outcome: 'accepted',
  });
  return messageId;
}

async function find(filter: Partial<CaptureFilter> = {}) {
  const noFilter = {
    channel: undefined,
    targets: undefined,
    requestId: undefined,
    after: undefined,
  };
  const page = await findCaptures(database.lookUps, {
    ...noFilter,
    appId: tenant.appId,
    ...filter,
  });
  if (!page) throw new Error('The cursor was refused');
  return { next: page.next, ids: page.captures.map(({ messageId }) => messageId) };
}

test('lists matching captures only, newest first', async () => {
  const mail = await capture();
  const sms = await capture({ channel: 'sms', target: '+12025550123' });
  const slack = await capture({ channel: 'slack', target: 'C012345678 ana@example.com' });
  const { appId } = await factories.createTenant();
  await capture({ appId });
  expect((await find()).ids).toEqual([slack, sms, mail]);
  expect((await find({ channel: 'sms' })).ids).toEqual([sms]);
  expect((await find({ targets: ['ana@example.com'] })).ids).toEqual([slack, mail]);
  expect((await find({ targets: ['nobody', 'c012345678'] })).ids).toEqual([slack]);
  expect((await find({ requestId: newId() })).ids).toEqual([]);
});

test('finds only the newest captures, as many as an app keeps', async () => {
  await capture({ channel: 'sms' });
  const oldest = await capture({ channel: 'push' });
  for (let count = 1; count < capturesPerApp - 1; count += 1) await capture();
  const newest = await capture();
  expect((await find()).ids[0]).toBe(newest);
  expect((await find({ channel: 'push' })).ids).toEqual([oldest]);
  expect((await find({ channel: 'sms' })).ids).toEqual([]);
});

describe('a cursor', () => {
  test('excludes the captures of an earlier page, and includes all newer ones', async () => {
    const old = await capture();
    const first = await find();
    expect(first.ids).toEqual([old]);
    const fresh = await capture();
    const second = await find({ after: first.next });
    expect(second.ids).toEqual([fresh]);
    expect((await find({ after: second.next })).ids).toEqual([]);
    expect((await find()).ids).toEqual([fresh, old]);
  });

  test('includes a capture that began before it and was committed later', async () => {
    const slow = await database.delivery.connect();
    try {
      await slow.query('BEGIN');
      const messageId = newId();
      // Its id and time are older than those of the row that is visible first.
      await slow.query(
        `INSERT INTO capture (id, app_id, message_id, attempt, channel, provider, target, content, request, outcome)
         VALUES ($1, $2, $3, 1, 'email', 'smtp', 'ana@example.com', '{}', '{}', 'accepted')`,
        [newId(), tenant.appId, messageId],
      );
      const quick = await capture();
      const first = await find();
      expect(first.ids).toEqual([quick]);
      await slow.query('COMMIT');
      expect((await find({ after: first.next })).ids).toEqual([messageId]);
    } finally {
      slow.release();
    }
  });

  test.each([
    'nonsense',
    '',
    '5',
    '5:4:',
    '1:2:3',
    '99999999999999999999:1:',
    "1:1:'",
    '9223372036854775808:9223372036854775809:',
  ])('is refused as %j', async (after) => {
    const filter = { channel: undefined, targets: undefined, requestId: undefined };
    const page = await findCaptures(database.lookUps, { ...filter, appId: tenant.appId, after });
    expect(page === undefined || page.captures.length === 0).toBe(true);
  });
});
