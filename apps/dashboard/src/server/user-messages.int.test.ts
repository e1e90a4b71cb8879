import { newId } from '@belfry/runtime';
import { channelVersion } from '@belfry/testing';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

jest.setTimeout(60_000);

let dashboard: StoredDashboard;
let event: { name: string; eventId: string; versionId: string };

beforeAll(async () => {
  dashboard = await createStoredDashboard();
  const text = { text: 'x' };
  event = await dashboard.factories.createEvent(dashboard.tenant, {
    email: channelVersion({ subject: 'x', html: 'x' }),
    sms: channelVersion(text),
    slack: channelVersion(text),
  });
});

afterAll(() => dashboard.close());

const at = (place: string) => `apps/${dashboard.tenant.appId}/${place}`;

type Inserted = {
  user: object;
  target?: string;
  channel?: string;
  state?: string;
  reason?: string;
  skips?: object;
  resendOf?: string;
};

/** A planned request with one message, or with skipped channels only. */
async function insert({ user, channel = 'email', state = 'sent', ...rest }: Inserted) {
  const { accountId, appId } = dashboard.tenant;
  const pool = dashboard.database.lookUps;
  const [requestId, messageId] = [newId(), newId()];
  await pool.query(
    `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items)
     VALUES ($1, $2, $3, $4, $5, 'single', 1, 1)`,
    [requestId, accountId, appId, event.eventId, event.versionId],
  );
  await pool.query(
    `INSERT INTO request_item (request_id, item, recipient, skips, planned_at) VALUES ($1, 0, $2, $3, now())`,
    [requestId, JSON.stringify(user), rest.skips && JSON.stringify(rest.skips)],
  );
  if (!rest.target) return { requestId, messageId };
  await pool.query(
    `INSERT INTO message (id, request_id, item, app_id, channel, target, state, reason, settled_at, expires_at)
     VALUES ($1, $2, 0, $3, $4, $5, $6, $7, now(), now() + interval '1 day')`,
    [messageId, requestId, appId, channel, rest.target, state, rest.reason],
  );
  return { requestId, messageId };
}

/** 250 newer requests of an app, with one message each to the e-mail address of the user, if it has one. */
async function insertMany(
  { accountId, appId }: { accountId: string; appId: string },
  user: { user_id: string; email?: string },
): Promise<void> {
  await dashboard.database.lookUps.query(
    `WITH r AS (
       INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items)
       SELECT id, $1, $2, $3, $4, 'single', 1, 1 FROM unnest($7::uuid[]) u (id) RETURNING id
     ), i AS (INSERT INTO request_item (request_id, item, recipient, planned_at) SELECT id, 0, $5, now() FROM r)
     INSERT INTO message (id, request_id, item, app_id, channel, target, state, settled_at, expires_at)
     SELECT gen_random_uuid(), id, 0, $2, 'email', $6::text, 'sent', now(), now() FROM r WHERE $6::text IS NOT NULL`,
    [
      ...[accountId, appId, event.eventId, event.versionId, JSON.stringify(user), user.email],
      Array.from({ length: 250 }, newId),
    ],
  );
}

async function createUser(contact: object) {
  const [sid, userId] = [newId(), `u-${newId()}`];
  const { appId } = dashboard.tenant;
  await dashboard.database.prisma.user.create({ data: { id: sid, appId, userId, contact } });
  return { sid, userId };
}

describe('a message whose address an operator suppressed', () => {
  test('says who suppressed it, when, why and for whom, and is not resent until that is removed', async () => {
    const target = 'manual@example.com';
    const input = { channel: 'email', address: target, detail: 'Left the company' };
    const suppression = await dashboard.call('post', at('suppressions'), input);
    const skipped = { state: 'skipped', reason: 'suppressed', target };
    const { requestId, messageId } = await insert({ user: { email: target }, ...skipped });
    const what = expect.stringMatching(
      `^The address is suppressed for every sender: added by ${dashboard.email} at [-0-9]+ [0-9:]+ UTC: Left the company[.]`,
    );
    const read = async () => (await dashboard.call('get', at(`requests/${requestId}`))).body;
    const [row] = (await read()).channelRows;
    expect(row).toMatchObject({
      explanation: { what, remedy: expect.stringContaining('remove the suppression') },
      steps: [{ kind: 'planned' }, { kind: 'settled', detail: what }],
      can: { resend: { isAllowed: false, because: what } },
    });
    const explained = await dashboard.call('get', at(`requests/${requestId}/explanation`));
    expect(explained.body.sentences.join()).toContain(row.explanation.what);
    const refused = await dashboard.call('post', at(`messages/${messageId}/resend`), {});
    expect([refused.status, refused.body.error]).toEqual([409, what]);
    const count = await dashboard.call('get', at(`resends/count?requestId=${requestId}`));
    expect(count.body).toMatchObject({
      messages: 0,
      leftOut: [{ reason: 'suppressed', messages: 1 }],
    });
    await dashboard.call('delete', at(`suppressions/${suppression.body.id}`));
    expect((await read()).channelRows).toMatchObject([
      {
        explanation: { what: expect.stringContaining('It is not suppressed now.') },
        can: { resend: { isAllowed: true } },
      },
    ]);
  });
});

describe('a resend', () => {
  test('is not offered where the same content would fail again', async () => {
    const user = { email: 'a@example.com' };
    const failed = { state: 'failed', reason: 'missing_data', target: user.email };
    const { requestId, messageId } = await insert({ user, ...failed });
    const { body } = await dashboard.call('get', at(`requests/${requestId}`));
    const because = expect.stringContaining('it keeps the version and the data');
    expect(body.channelRows[0].can.resend).toEqual({ isAllowed: false, warning: null, because });
    const refused = await dashboard.call('post', at(`messages/${messageId}/resend`), {});
    expect([refused.status, refused.body.error]).toEqual([409, because]);
  });

  test('to a paused channel requires a confirmation that says it would wait', async () => {
    const pause = { appId: dashboard.tenant.appId, channel: 'sms' };
    await dashboard.database.prisma.channelPause.create({ data: pause });
    const failed = { channel: 'sms', state: 'failed', reason: 'expired', target: '+12025550101' };
    const { requestId, messageId } = await insert({ user: {}, ...failed });
    const place = at(`messages/${messageId}/resend`);
    expect((await dashboard.call('post', place, {})).body).toMatchObject({
      code: 'needs_confirmation',
      error: expect.stringContaining('The new message waits until that ends.'),
    });
    const count = await dashboard.call('get', at(`resends/count?requestId=${requestId}`));
    expect(count.body).toMatchObject({ messages: 1, waiting: 1, mayDuplicate: 0 });
    expect((await dashboard.call('post', place, { confirm: true })).status).toBe(200);
    await dashboard.database.prisma.channelPause.deleteMany({ where: pause });
  });
});

describe('the latest messages of a user', () => {
  test('are the newest 3 of each channel, with reason and advice, and of no other user', async () => {
    const email = `${newId()}@example.com`;
    const { sid, userId } = await createUser({ email });
    const noSlack = { slack: { reason: 'no_address', detail: 'The recipient has no Slack id.' } };
    const other = await insert({ user: { user_id: 'somebody-else', email }, target: email });
    const byAddress = await insert({ user: { email }, target: email.toUpperCase() });
    const oldEmail = { target: 'old@example.com', user: { user_id: userId } };
    const sent: string[] = [];
    for (let count = 0; count < 3; count += 1) sent.push((await insert(oldEmail)).requestId);
    const skipped = await insert({ user: { user_id: userId }, skips: noSlack });
    const failed = { channel: 'sms', state: 'failed', reason: 'expired', target: '+12025550102' };
    const late = await insert({ user: { user_id: userId }, ...failed });
    const { status, body } = await dashboard.call('get', at(`users/${sid}/messages`));
    expect(status).toBe(200);
    expect(body.channels).toMatchObject([
      {
        channel: 'sms',
        messages: [
          {
            ...{ ...late, event: event.name, state: 'failed', reason: 'expired' },
            explanation: {
              what: 'It expired before it could be sent.',
              remedy: expect.stringContaining('Resend it'),
            },
          },
        ],
      },
      { channel: 'email', messages: sent.toReversed().map((requestId) => ({ requestId })) },
      {
        channel: 'slack',
        messages: [
          {
            ...{ requestId: skipped.requestId, messageId: null, state: 'skipped' },
            explanation: { what: 'The recipient has no Slack id.' },
          },
        ],
      },
    ]);
    await dashboard.database.lookUps.query('DELETE FROM message WHERE request_id = ANY ($1)', [
      sent,
    ]);
    const again = await dashboard.call('get', at(`users/${sid}/messages`));
    const [, emails] = again.body.channels;
    expect(emails.messages).toMatchObject([
      { requestId: byAddress.requestId, target: email.toUpperCase() },
    ]);
    expect(JSON.stringify(again.body)).not.toContain(other.requestId);
  });

  test('are found behind newer ones of other apps with the same id and of other users with the same address', async () => {
    const email = `${newId()}@example.com`;
    const { sid, userId } = await createUser({ email });
    const toAddress = await insert({ user: { email }, target: email });
    const named = await insert({
      user: { user_id: userId },
      channel: 'sms',
      target: '+12025550103',
    });
    const neighbour = await dashboard.createNeighbour();
    await insertMany(neighbour.tenant, { user_id: userId });
    await insertMany(dashboard.tenant, { user_id: 'somebody-else', email });
    const { body } = await dashboard.call('get', at(`users/${sid}/messages`));
    expect(body.channels).toMatchObject([
      { channel: 'sms', messages: [{ requestId: named.requestId }] },
      { channel: 'email', messages: [{ requestId: toAddress.requestId }] },
    ]);
  });
});

describe('a dry run of a draft', () => {
  test('shows the request of each channel, or why there is none, and stores nothing', async () => {
    const definition = {
      channels: {
        email: { templates: { en: { subject: 'Hello {{name}}', text: 'x' } } },
        slack: { templates: { en: { text: 'x' } } },
      },
    };
    const address = 'dry@example.com';
    const body = {
      definition,
      delivery: 'sandbox',
      user: { email: address },
      data: { name: 'Ana' },
    };
    const run = () => dashboard.call('post', at(`events/${event.eventId}/dry-run`), body);
    const before = await dashboard.database.prisma.request.count();
    const { status, body: answer } = await run();
    expect([status, answer]).toMatchObject([
      200,
      {
        delivery: 'sandbox',
        messages: [
          {
            channel: 'email',
            would: 'send',
            target: address,
            provider: null,
            warnings: [expect.stringContaining('This channel of the event has no integration.')],
            request: { body: { subject: 'Hello Ana' } },
          },
          { channel: 'slack', would: 'skip', reason: 'no_address', request: null },
        ],
      },
    ]);
    await dashboard.call('post', at('suppressions'), {
      channel: 'email',
      address,
      detail: 'asked',
    });
    expect((await run()).body.messages[0]).toMatchObject({
      would: 'skip',
      reason: 'suppressed',
      what: expect.stringContaining(`added by ${dashboard.email}`),
    });
    expect(await dashboard.database.prisma.request.count()).toBe(before);
  });
});

describe('a test send', () => {
  test('does not use up the number of a live version', async () => {
    const { body: created } = await dashboard.call('post', at('events'), { name: `e-${newId()}` });
    const place = at(`events/${created.id}`);
    const definition = { channels: { email: { templates: { en: { subject: 'x', text: 'x' } } } } };
    const test = { definition, delivery: 'sandbox', user: { email: 'a@example.com' } };
    for (const revision of [0, 1]) {
      await dashboard.call('put', `${place}/draft`, { basedOn: revision, definition });
      expect((await dashboard.call('post', `${place}/test`, test)).status).toBe(200);
      await dashboard.call('post', `${place}/publish`, { basedOn: revision + 1 });
    }
    const { body } = await dashboard.call('get', `${place}/versions`);
    expect(body.versions.map(({ number }: { number: number }) => number)).toEqual([2, 1]);
    const tests = { where: { eventId: created.id, kind: 'test' } };
    const stored = await dashboard.database.prisma.eventVersion.findMany(tests);
    expect(stored.map(({ number }) => number).toSorted()).toEqual([1, 2]);
  });
});
