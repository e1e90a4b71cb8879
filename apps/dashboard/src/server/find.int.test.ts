import { newId } from '@belfry/runtime';
import { createLogEvent, insertRequest, type RequestOptions } from './log-requests.fixture';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

let dashboard: StoredDashboard;
let event: Awaited<ReturnType<typeof createLogEvent>>;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
  event = await createLogEvent(dashboard, 'order_found');
});

afterAll(() => dashboard.close());

const insert = (options: Partial<RequestOptions>) =>
  insertRequest(dashboard, { event, ...options });

async function find(text: string) {
  const { call, tenant } = dashboard;
  const { body } = await call('get', `find?${new URLSearchParams({ text, app: tenant.appId })}`);
  return body;
}

/** Kind and filters of each match. */
async function listMatches(text: string): Promise<unknown[]> {
  const { found } = await find(text);
  return found.map(({ kind, filters }: { kind: string; filters: object }) => [kind, filters]);
}

async function list(filters: Record<string, string>): Promise<string[]> {
  const { call, tenant } = dashboard;
  const { body } = await call('get', `apps/${tenant.appId}/log?${new URLSearchParams(filters)}`);
  return body.rows.map((row: { requestId: string }) => row.requestId);
}

/** A request whose only channel was skipped at planning. */
async function insertSkipped(user: object, skips: object): Promise<string> {
  const { requestId, messageId } = await insert({ user, skips, target: `gone-${newId()}` });
  await dashboard.database.lookUps.query('DELETE FROM message WHERE id = $1', [messageId]);
  return requestId;
}

describe('the search', () => {
  test('leads from an ID of a request, message or provider to the request', async () => {
    const providerMessageId = `SM${newId()}`;
    const { requestId, messageId } = await insert({ providerMessageId });
    const filters = { requestId };
    expect(await listMatches(requestId.toUpperCase())).toEqual([['request', filters]]);
    expect(await listMatches(messageId)).toEqual([['message', filters]]);
    expect(await listMatches(`<${providerMessageId}>`)).toEqual([['providerMessage', filters]]);
    const { found } = await find(messageId);
    expect(found).toMatchObject([{ label: `message ID ${messageId}`, event: 'order_found' }]);
    expect((await find(providerMessageId)).found).toMatchObject([{ event: 'order_found' }]);
    const neighbour = await dashboard.createNeighbour();
    const { body } = await neighbour.call('get', `find?text=${providerMessageId}`);
    expect(body.found).toEqual([]);
  });

  test('tells provider’s message IDs apart that begin with the same 128 characters', async () => {
    const start = `wamid.${newId()}`.padEnd(140, 'x');
    const { requestId } = await insert({ providerMessageId: `${start}1` });
    await insert({ providerMessageId: `${start}2` });
    expect(await listMatches(`${start}1`)).toEqual([['providerMessage', { requestId }]]);
  });

  test('finds the event that exists before a removed one of the same name', async () => {
    const { database, tenant } = dashboard;
    const name = 'order_twice';
    const events = [newId(), newId(), newId()].map((id) => ({ id, appId: tenant.appId, name }));
    const deletedAt = new Date();
    await database.prisma.event.createMany({
      data: events.map((each, place) => (place === 1 ? each : { ...each, deletedAt })),
    });
    expect((await find(name)).found).toMatchObject([{ kind: 'event', eventId: events[1]?.id }]);
  });

  test('finds phone numbers in any spelling and tries both readings of an ambiguous one', async () => {
    const { database, tenant } = dashboard;
    await insert({ channel: 'sms', target: '+12025550101' });
    const match = ['recipient', { recipient: '+12025550101' }];
    for (const text of ['+1 202-555-0101', '001 (202) 555 0101', '1 202 555 0101']) {
      expect([text, await listMatches(text)]).toEqual([text, [match]]);
    }
    await insert({ channel: 'sms', target: '+2025550101' });
    const where = { id: tenant.appId };
    await database.prisma.app.update({ where, data: { defaultRegion: 'US' } });
    const { readings } = await find('202 555 0101');
    expect(readings).toEqual(
      expect.arrayContaining(['phone number +2025550101', 'phone number +12025550101']),
    );
    expect(await listMatches('202 555 0101')).toEqual([
      ['recipient', { recipient: '+2025550101' }],
      match,
    ]);
  });

  test('finds user IDs, Slack channels, event names, idempotency keys and metadata, and says how it read a text', async () => {
    const { database, tenant } = dashboard;
    const user = { id: newId(), appId: tenant.appId, userId: 'u_10001', contact: {} };
    await database.prisma.user.create({ data: user });
    await insert({ channel: 'slack', target: 'C0123ABCD', key: 'ship-88213' });
    await insert({ user: { user_id: 'u_20002' } });
    expect(await listMatches('u_10001')).toEqual([['user', { recipient: 'u_10001' }]]);
    expect(await listMatches('u_20002')).toEqual([['recipient', { recipient: 'u_20002' }]]);
    expect(await listMatches('c0123abcd')).toEqual([['recipient', { recipient: 'C0123ABCD' }]]);
    expect(await listMatches('order_found')).toEqual([['event', { event: 'order_found' }]]);
    expect(await listMatches('ship-88213')).toEqual([
      ['idempotencyKey', { idempotencyKey: 'ship-88213' }],
    ]);
    await insert({ metadata: { order_id: 'A-1001' } });
    const metadata = 'order_id:A-1001';
    expect(await listMatches(metadata)).toEqual([['metadata', { metadata }]]);
    expect(await list({ metadata })).toHaveLength(1);
    const neighbour = await dashboard.createNeighbour();
    const { body } = await neighbour.call(
      'get',
      `find?${new URLSearchParams({ text: metadata, app: neighbour.tenant.appId })}`,
    );
    expect(body.found).toEqual([]);
    expect(await find('nothing-here')).toEqual({
      readings: [
        'user ID or address nothing-here',
        'provider’s message ID nothing-here',
        'event nothing-here',
        'idempotency key nothing-here',
      ],
      found: [],
      skipsSearchedFrom: null,
    });
  });

  test('finds the first 5 users of the app whose ID or address begins with the text', async () => {
    const { database, tenant } = dashboard;
    const neighbour = await dashboard.createNeighbour();
    const create = (userId: string, contact: object, { appId } = tenant) =>
      database.prisma.user.create({ data: { id: newId(), appId, userId, contact } });
    await create('begin-ana', {
      email: 'Ana.Ruiz@begin.example',
      slack: { channel_id: 'UBEGIN01' },
    });
    await create('begin-ana', { email: 'ana.ruiz@begin.example' }, neighbour.tenant);
    const ana = { kind: 'user', filters: { recipient: 'begin-ana' }, isPrefixMatch: true };
    const email = { ...ana, label: 'user ID begin-ana, email Ana.Ruiz@begin.example' };
    expect((await find('ana.ruiz@')).found).toMatchObject([email]);
    const slack = { ...ana, label: 'user ID begin-ana, slack.channel_id UBEGIN01' };
    expect((await find('UBEGIN')).found).toMatchObject([slack]);
    const [user, ...others] = (await find('begin-ana')).found;
    expect([user, others]).toEqual([expect.not.objectContaining({ isPrefixMatch: true }), []]);
    for (const n of [1, 2, 3, 4, 5, 6]) await create(`begin-${n}`, {});
    expect((await find('begin-')).found).toHaveLength(5);
  });

  test('and the log find a recipient whose message was skipped when it was planned', async () => {
    const { database, tenant } = dashboard;
    const contact = { email: 'Stored@example.com' };
    const user = { id: newId(), appId: tenant.appId, userId: 'u_skipped', contact };
    await database.prisma.user.create({ data: user });
    const skips = { email: { reason: 'opted_out', detail: 'Off.' } };
    const inCall = await insertSkipped({ mobile: '+49 30 111222', email: 'ana(at)x' }, skips);
    const stored = await insertSkipped({ user_id: 'u_skipped' }, skips);
    const toChat = await insertSkipped({ telegram: { chat_id: -1001234 } }, skips);
    expect(await list({ recipient: '-1001234' })).toEqual([toChat]);
    for (const recipient of ['+4930111222', 'ANA(at)x']) {
      expect([recipient, await list({ recipient })]).toEqual([recipient, [inCall]]);
    }
    expect(await list({ recipient: 'stored@example.com' })).toEqual([stored]);
    expect(await list({ recipient: 'stored@example.com', channel: 'slack' })).toEqual([]);
    expect(await list({ recipient: 'stored@example.com', state: 'sent' })).toEqual([]);
    expect(await listMatches('stored@example.com')).toEqual([
      ['recipient', { recipient: 'stored@example.com' }],
      ['user', { recipient: 'u_skipped' }],
    ]);
    expect(await listMatches('0049 30 111222')).toEqual([
      ['recipient', { recipient: '+4930111222' }],
    ]);
  });
});

describe('the filters', () => {
  test('combine: a request must match recipient, ID and key, and one message all its filters', async () => {
    const { call, tenant } = dashboard;
    const target = `both-${newId()}@example.com`;
    const { requestId } = await insert({ target, key: `key-${target}`, state: 'failed' });
    const other = await insert({ target: `other-${target}`, state: 'failed' });
    const filters = { requestId, idempotencyKey: `key-${target}`, recipient: target };
    expect(await list(filters)).toEqual([requestId]);
    for (const name of Object.keys(filters)) {
      const values = { requestId: other.requestId, idempotencyKey: 'no', recipient: 'no' };
      const changed = { ...filters, [name]: values[name as keyof typeof values] };
      expect([name, await list(changed)]).toEqual([name, []]);
      const query = new URLSearchParams(changed);
      const { body } = await call('get', `apps/${tenant.appId}/resends/count?${query}`);
      expect([name, body.messages, body.leftOut]).toEqual([name, 0, []]);
    }
    const { body } = await call(
      'get',
      `apps/${tenant.appId}/resends/count?${new URLSearchParams(filters)}`,
    );
    expect(body.messages).toBe(1);
    // The address and the state belong to different messages of this request.
    await dashboard.database.lookUps.query(
      `INSERT INTO message (id, request_id, item, app_id, channel, target, state, expires_at)
       VALUES ($1, $2, 0, $3, 'slack', 'C0SENT', 'sent', now())`,
      [newId(), requestId, tenant.appId],
    );
    expect(await list({ requestId, recipient: target, state: 'sent' })).toEqual([]);
    expect(await list({ requestId, recipient: 'C0SENT', state: 'sent' })).toEqual([requestId]);
  });

  test('combine reason and wait with the others in one message, or one skipped channel', async () => {
    const { database, tenant } = dashboard;
    const user = { email: `skip-${newId()}@example.com` };
    const skips = { email: { reason: 'opted_out' }, slack: { reason: 'no_address' } };
    const skipped = { recipient: user.email, reason: 'opted_out' };
    const skippedId = await insertSkipped(user, skips);
    expect(await list({ ...skipped, channel: 'email' })).toEqual([skippedId]);
    expect(await list({ ...skipped, channel: 'slack' })).toEqual([]);
    expect(await list({ ...skipped, state: 'failed' })).toEqual([]);
    const target = `wait-${newId()}@example.com`;
    const { requestId } = await insert({ target, state: 'queued' });
    await database.lookUps.query(
      `INSERT INTO message (id, request_id, item, app_id, channel, target, state, reason, expires_at)
       VALUES ($1, $2, 0, $3, 'slack', 'C0LATE', 'failed', 'expired', now())`,
      [newId(), requestId, tenant.appId],
    );
    const ids = (filters: object) => list({ requestId, ...filters });
    expect(await ids({ recipient: target, waits: 'due' })).toEqual([requestId]);
    expect(await list({ recipient: target, waits: 'due' })).toEqual([requestId]);
    expect(await ids({ recipient: target, waits: 'retry' })).toEqual([]);
    expect(await ids({ recipient: target, reason: 'expired' })).toEqual([]);
    expect(await ids({ recipient: 'C0LATE', reason: 'expired' })).toEqual([requestId]);
    expect(await ids({ recipient: 'C0LATE', waits: 'due' })).toEqual([]);
  });

  test('find a captured message by the provider that the sandbox stood in for', async () => {
    const { database, tenant } = dashboard;
    const { requestId, messageId } = await insert({ channel: 'sms', provider: 'sandbox' });
    const capture = {
      provider: 'twilio',
      target: '+1',
      content: {},
      request: {},
      outcome: 'accepted',
    };
    const place = { id: newId(), appId: tenant.appId, messageId, attempt: 1, channel: 'sms' };
    await database.prisma.capture.create({ data: { ...place, ...capture } });
    for (const provider of ['twilio', 'sandbox']) {
      expect(await list({ provider, requestId })).toEqual([requestId]);
      expect(await list({ provider, channel: 'sms' })).toEqual([requestId]);
    }
    expect(await list({ provider: 'smtp', requestId })).toEqual([]);
  });
});
