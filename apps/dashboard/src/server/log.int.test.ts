import { newId } from '@belfry/runtime';
import { channelVersion, eventually, type Tenant } from '@belfry/testing';
import type { RequestAnswer } from '../api/requests';
import { toAcceptedAt } from './log-filter';
import { createLogEvent, insertRequest, type RequestOptions } from './log-requests.fixture';
import { readUntil } from './read-stream.fixture';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

afterAll(() => dashboard.close());

const insert = (options: RequestOptions) => insertRequest(dashboard, options);
const createEvent = (name?: string) => createLogEvent(dashboard, name);

async function list(
  query: string,
): Promise<{ ids: string[]; next: string | null; rows: unknown[] }> {
  const { call, tenant } = dashboard;
  const { body, status } = await call('get', `apps/${tenant.appId}/log?${query}`);
  expect(status).toBe(200);
  return { ids: body.rows.map((row: { requestId: string }) => row.requestId), ...body };
}

const createTenantEvent = (tenant: Tenant) =>
  dashboard.factories.createEvent(tenant, {
    email: channelVersion({ subject: 'Hello', text: 'Hello' }),
  });

/** Requests with these IDs, each with one e-mail. */
async function insertSent(
  { accountId, appId }: Tenant,
  { eventId, versionId }: { eventId: string; versionId: string },
  ids: string[],
): Promise<void> {
  const { lookUps } = dashboard.database;
  const at = [ids, accountId, appId, eventId, versionId];
  await lookUps.query(
    `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items)
     SELECT id, $2, $3, $4, $5, 'single', 1, 1 FROM unnest($1::uuid[]) t (id)`,
    at,
  );
  await lookUps.query(
    `INSERT INTO request_item (request_id, item, recipient, planned_at)
     SELECT id, 0, '{}', now() FROM unnest($1::uuid[]) t (id)`,
    [ids],
  );
  await lookUps.query(
    `INSERT INTO message (id, request_id, item, app_id, channel, target, state, expires_at)
     SELECT gen_random_uuid(), id, 0, $2, 'email', 'x', 'sent', now() FROM unnest($1::uuid[]) t (id)`,
    [ids, appId],
  );
}

describe('the log', () => {
  test('finds a request by each filter and by all filters together', async () => {
    const event = await createEvent('filtered');
    const before = Date.now();
    const { requestId } = await insert({
      event,
      channel: 'slack',
      target: 'C-filtered',
      state: 'failed',
      reason: 'rejected_recipient',
      outcome: 'rejected',
      provider: 'slack',
      key: 'key-filtered',
      metadata: { order: 'A-filtered', note: 'x' },
      user: { user_id: 'user-filtered', slack: { channel_id: 'C-filtered' } },
    });
    await insert({ event, state: 'delivered', target: 'other@example.com' });
    const filters = [
      'event=filtered&state=failed',
      'channel=slack&event=filtered',
      'state=failed&event=filtered',
      'provider=slack&event=filtered',
      'recipient=C-filtered',
      'recipient=user-filtered',
      `requestId=${requestId}`,
      'idempotencyKey=key-filtered',
      'metadata=order:A-filtered',
    ];
    for (const filter of filters)
      expect([filter, (await list(filter)).ids]).toEqual([filter, [requestId]]);
    const all = filters.join('&');
    expect((await list(`${all}&from=${before - 1_000}&to=${Date.now() + 1_000}`)).ids).toEqual([
      requestId,
    ]);
    expect((await list(`${all}&to=${before - 60_000}`)).ids).toEqual([]);
    expect((await list('event=nothing-of-this-name')).ids).toEqual([]);
  });

  test('and the search find a phone number with country code in any spelling', async () => {
    const { call, tenant } = dashboard;
    const event = await createEvent();
    const { requestId } = await insert({ event, channel: 'sms', target: '+4930765432' });
    for (const text of ['+4930765432', '+49 (0)30 765432', '0049-30-765432']) {
      const typed = encodeURIComponent(text);
      expect([text, (await list(`recipient=${typed}`)).ids]).toEqual([text, [requestId]]);
      const { body } = await call('get', `find?text=${typed}&app=${tenant.appId}`);
      expect(body.found).toMatchObject([{ kind: 'recipient' }]);
    }
  });

  test.each([
    ['in UTF-8', 'größe  1', Buffer.from('größe  1').toString('latin1')],
    ['in Latin-1', 'größe\t2', 'größe\t2'],
    ['with non-text bytes', '\u0080\u009f<b>\u00ff 3', '\u0080\u009f<b>\u00ff 3'],
  ])('shows an idempotency key %s in readable form and finds it', async (_how, text, key) => {
    const { call, tenant } = dashboard;
    const event = await createEvent();
    const { requestId } = await insert({ event, key });
    const query = new URLSearchParams({ idempotencyKey: text, event: event.name }).toString();
    expect((await list(query)).ids).toEqual([requestId]);
    expect((await list(new URLSearchParams({ idempotencyKey: text }).toString())).ids).toEqual([
      requestId,
    ]);
    const timeline = await call('get', `apps/${tenant.appId}/requests/${requestId}`);
    expect(timeline.body.idempotencyKey).toBe(text);
    const search = new URLSearchParams({ app: tenant.appId, text }).toString();
    const response = await call('get', `find?${search}`);
    expect(response.body.found).toMatchObject([{ kind: 'idempotencyKey', appId: tenant.appId }]);
  });

  test('finds exactly the requests with a key and value of metadata, and none of another app', async () => {
    const event = await createEvent();
    const metadata = { order_id: 'A-1001', 'a:b': 'c: d', größe: 'XL 👋' };
    const { requestId } = await insert({ event, metadata });
    await insert({ event, metadata: { order_id: 'A-10011', other: 'A-1001', b: 'c: d' } });
    await insert({ event, cancelKey: 'order_id:A-1001' });
    const { accountId } = dashboard.tenant;
    const appId = newId();
    const app = { id: appId, accountId, name: 'other', delivery: 'sandbox' };
    await dashboard.database.prisma.app.create({ data: app });
    await insert({ event, metadata, appId });
    for (const text of ['order_id:A-1001', 'a:b:c: d', 'größe:XL 👋']) {
      const query = new URLSearchParams({ metadata: text }).toString();
      expect([text, (await list(query)).ids]).toEqual([text, [requestId]]);
    }
    for (const text of ['order_id:a-1001', 'order_id', 'A-1001', 'order_id:', ':A-1001', 'x:y']) {
      const query = new URLSearchParams({ metadata: text }).toString();
      expect([text, (await list(query)).ids]).toEqual([text, []]);
    }
  });

  test('applies the filters of messages to the items with the metadata', async () => {
    const event = await createEvent();
    const { requestId } = await insert({ event, metadata: { order: 'B-1' } });
    await dashboard.database.lookUps.query(
      `INSERT INTO request_item (request_id, item, planned_at, skips) VALUES ($1, 1, now(), '{"slack": {"reason": "no_address"}}')`,
      [requestId],
    );
    await dashboard.database.lookUps.query(
      `INSERT INTO message (id, request_id, item, app_id, channel, target, state, reason, expires_at)
       SELECT gen_random_uuid(), request_id, 1, app_id, channel, 'ben@example.com', 'failed', 'expired', now() FROM message WHERE request_id = $1`,
      [requestId],
    );
    const listWith = async (filter: string) => (await list(`metadata=order:B-1&${filter}`)).ids;
    expect(await listWith('state=sent')).toEqual([requestId]);
    expect(await listWith('state=failed')).toEqual([]);
    expect(await listWith('reason=no_address')).toEqual([]);
    expect(await listWith('recipient=ben@example.com')).toEqual([]);
    expect(await listWith('recipient=ana@example.com')).toEqual([requestId]);
  });

  test('shows the metadata and the cancel key of a request, and that the caller cancelled it', async () => {
    const { call, tenant, database } = dashboard;
    const event = await createEvent();
    const texts = { metadata: { order_id: 'A-1002' }, cancelKey: 'order-A-1002' };
    const skipped = { state: 'skipped', reason: 'cancelled' };
    const { requestId, messageId } = await insert({ event, ...texts, ...skipped });
    const read = async () =>
      (await call('get', `apps/${tenant.appId}/requests/${requestId}`)).body as RequestAnswer;
    expect((await read()).call).toMatchObject(texts);
    const settled = { kind: 'settled', detail: 'An operator cancelled it.' };
    expect((await read()).channelRows).toMatchObject([
      { steps: expect.arrayContaining([expect.objectContaining(settled)]) },
    ]);
    const note = `UPDATE message SET notes = '{"cancelled_by": "caller"}' WHERE id = $1`;
    await database.lookUps.query(note, [messageId]);
    const [row] = (await read()).channelRows;
    expect(row).toMatchObject({ explanation: { what: 'The caller cancelled it.' }, notes: {} });
  });

  test('finds queued and sending messages as waiting', async () => {
    const event = await createEvent();
    const ids: string[] = [];
    for (const state of ['queued', 'sending', 'sent']) {
      ids.push((await insert({ event, state })).requestId);
    }
    const [queued, sending] = ids;
    expect((await list(`event=${event.name}&state=waiting`)).ids).toEqual([sending, queued]);
    expect((await list(`event=${event.name}&state=queued`)).ids).toEqual([queued]);
    expect((await list(`event=${event.name}&state=none`)).ids).toEqual([]);
  });

  test('finds a skipped channel by its state', async () => {
    const event = await createEvent('skipping');
    const skips = { slack: { reason: 'no_address', detail: 'No slack.' } };
    const { requestId } = await insert({ event, skips });
    const { ids, rows } = await list('event=skipping&state=skipped&channel=slack');
    expect(ids).toEqual([requestId]);
    expect(rows).toMatchObject([
      { channels: { email: { state: 'sent' }, slack: { state: 'skipped', reason: 'no_address' } } },
    ]);
  });

  test('pages newest first without gaps or duplicates', async () => {
    const event = await createEvent('paged');
    const requestIds: string[] = [];
    for (let count = 0; count < 60; count += 1)
      requestIds.push((await insert({ event })).requestId);
    const first = await list('event=paged&channel=email');
    expect(first.ids).toHaveLength(50);
    const second = await list(`event=paged&channel=email&cursor=${first.next}`);
    expect([...first.ids, ...second.ids]).toEqual(requestIds.toReversed());
    expect(second.next).toBeNull();
  });

  test('says how far a search went that ended at its limit, and continues there', async () => {
    const { tenant, call } = await dashboard.createNeighbour();
    const [common, rare] = await Promise.all([
      createTenantEvent(tenant),
      createTenantEvent(tenant),
    ]);
    const [oldest = '', ...newer] = Array.from({ length: 2_002 }, newId).sort();
    await insertSent(tenant, rare, [oldest]);
    await insertSent(tenant, common, newer);
    const search = async (cursor = '') => {
      const query = `channel=email&state=sent&event=${rare.name}${cursor}`;
      return (await call('get', `apps/${tenant.appId}/log?${query}`)).body;
    };
    const first = await search();
    const last = newer[1] ?? '';
    expect(first).toMatchObject({ rows: [], next: last, searchedFrom: toAcceptedAt(last) });
    expect(await search(`&cursor=${first.next}`)).toMatchObject({
      rows: [{ requestId: oldest }],
      next: null,
      searchedFrom: null,
    });
  });

  test('shows a failed message with the provider’s error and advice', async () => {
    const { call, tenant } = dashboard;
    const event = await createEvent();
    const { requestId, messageId } = await insert({
      event,
      channel: 'slack',
      state: 'failed',
      reason: 'rejected_recipient',
      outcome: 'rejected',
      provider: 'slack',
    });
    const { body } = await call('get', `apps/${tenant.appId}/requests/${requestId}`);
    expect(body.channelRows).toMatchObject([
      {
        messageId,
        state: 'failed',
        explanation: { what: 'The bot is not a member of #orders.', remedy: expect.any(String) },
        can: { resend: { isAllowed: true, warning: null }, cancel: { isAllowed: false } },
        steps: [
          { kind: 'planned' },
          {
            kind: 'attempt',
            request: { operation: 'POST chat.postMessage' },
            response: { ok: false },
          },
          { kind: 'settled', state: 'failed' },
        ],
      },
    ]);
  });

  test('requires a confirmation to resend a delivered message', async () => {
    const { call, tenant } = dashboard;
    const { messageId } = await insert({ event: await createEvent(), state: 'delivered' });
    const at = `apps/${tenant.appId}/messages/${messageId}/resend`;
    expect((await call('post', at)).body).toMatchObject({
      code: 'needs_confirmation',
      error: 'This message was delivered: the recipient will get it twice.',
    });
    // It was confirmed as unknown, and then a receipt came.
    const late = await call('post', at, { confirm: true, confirmedState: 'unknown' });
    expect(late.body).toMatchObject({ code: 'needs_confirmation' });
    const now = await call('post', at, { confirm: true, confirmedState: 'delivered' });
    expect(now.body).toMatchObject({ generation: 1 });
  });

  test('streams new requests of this app that match the filters', async () => {
    const { url, tenant, email } = dashboard;
    const event = await createEvent('live');
    const neighbour = await dashboard.createNeighbour();
    const cookie = await signIn(url, email);
    const leave = new AbortController();
    const response = await fetch(
      `${url}/api/apps/${tenant.appId}/log/live?event=live&reason=expired`,
      {
        headers: { cookie },
        signal: leave.signal,
      },
    );
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    await insert({ event: await createEvent('not live') });
    await insert({ event, appId: neighbour.tenant.appId });
    await insert({ event, state: 'failed', reason: 'too_long' });
    const { requestId } = await insert({ event, state: 'failed', reason: 'expired' });
    const eventText = await readUntil(response, 'event: rows');
    leave.abort();
    const rows = JSON.parse(/data: (.*)/.exec(eventText)?.[1] ?? '{}').rows;
    expect(rows).toMatchObject([{ requestId, event: 'live' }]);
  });

  test('allows twenty live pages per operator and refuses more', async () => {
    const { url, tenant, email } = dashboard;
    const cookie = await signIn(url, email);
    const leave = new AbortController();
    const follow = () =>
      fetch(`${url}/api/apps/${tenant.appId}/log/live`, {
        headers: { cookie },
        signal: leave.signal,
      });
    const open = await Promise.all(Array.from({ length: 20 }, follow));
    expect(open.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const response = await follow();
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'unavailable' }]);
    leave.abort();
    await eventually(async () => {
      const again = await fetch(`${url}/api/apps/${tenant.appId}/log/live`, {
        headers: { cookie },
      });
      await again.body?.cancel();
      expect(again.status).toBe(200);
    });
  });
});

async function signIn(url: string, email: string): Promise<string> {
  const response = await fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { Origin: url, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password: 'a sentence of their own' }),
  });
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}
