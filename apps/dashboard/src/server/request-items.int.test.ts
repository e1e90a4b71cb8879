import { newId } from '@belfry/runtime';
import { countedAs, countStates, type MessageState, type StateGroup } from '@belfry/shared';
import { channelVersion, writeMixedRequest } from '@belfry/testing';
import type { ItemFilters, ItemPageAnswer, ItemRow } from '../api/request-items';
import type { ReasonGroup } from '../api/requests';
import {
  createStoredDashboard,
  type Neighbour,
  type StoredDashboard,
} from './stored-dashboard.fixture';

jest.setTimeout(60_000);

let dashboard: StoredDashboard;
let operator: Neighbour;
let cookie: string;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
  operator = await dashboard.createNeighbour();
  cookie = await operator.signInForCookie();
});

afterAll(() => dashboard?.close());

const channels = ['email', 'slack', 'sms'];

async function write(items: number, { unplanned = 0, seed = 1, isSensitive = false } = {}) {
  const { factories, database } = dashboard;
  const definition = {
    email: channelVersion({ subject: 'Hi', text: 'Hi' }),
    slack: channelVersion({ text: 'Hi' }),
    sms: channelVersion({ text: 'Hi' }),
  };
  const event = await factories.createEvent(operator.tenant, definition, { isSensitive });
  const options = { event, channels, items, unplanned, seed };
  return writeMixedRequest(database, operator.tenant, options);
}

const at = (requestId: string, place = '') =>
  `apps/${operator.tenant.appId}/requests/${requestId}${place}`;

async function get(path: string) {
  const { body, status } = await operator.call('get', path);
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
}

const toQuery = (filters: ItemFilters & { cursor?: number }) =>
  new URLSearchParams(
    Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)])),
  );

/** Every page, with the number of pages. */
async function list(requestId: string, filters: ItemFilters = {}) {
  const items: ItemRow[] = [];
  const pages: ItemPageAnswer[] = [];
  for (let cursor: number | null = 0; cursor !== null; ) {
    const page: ItemPageAnswer = await get(
      at(requestId, `/items?${toQuery({ ...filters, cursor })}`),
    );
    pages.push(page);
    items.push(...page.items);
    cursor = page.next;
  }
  return { items, pages };
}

async function download(requestId: string, filters: ItemFilters = {}) {
  const path = at(requestId, `/items.csv?${toQuery(filters)}`);
  const response = await fetch(`${dashboard.url}/api/${path}`, { headers: { cookie } });
  const [head = '', ...lines] = (await response.text()).trimEnd().split('\r\n');
  const names = head.split(',');
  const rows = lines.map((line) =>
    Object.fromEntries(line.split(',').map((value, index) => [names[index] ?? '', value])),
  );
  return { response, rows };
}

const countMatches = (items: readonly ItemRow[]) =>
  items.flatMap(({ messages }) => messages.filter(({ isMatch }) => isMatch)).length;

const toGroup = (channel: string, state: string, reason: string): StateGroup => ({
  channel,
  state: state as MessageState,
  reason: reason || null,
  count: 1,
});

function countByChannel(groups: readonly StateGroup[]) {
  const of = (name: string) => groups.filter(({ channel }) => channel === name);
  return Object.fromEntries(channels.map((channel) => [channel, countStates(of(channel))]));
}

test.each([
  [60, 12, 1],
  [620, 40, 2],
])(
  'totals, groups, items, CSV and resend agree on every channel, state and reason: %i items, %i not planned (%i)',
  async (items, unplanned, seed) => {
    const { requestId, counts } = await write(items, { unplanned, seed });
    const request = await get(at(requestId));
    const groups: ReasonGroup[] = request.groups;
    expect(countByChannel(groups as StateGroup[])).toEqual(counts);
    expect(request.counts).toEqual(countStates(groups as StateGroup[]));

    const all = await list(requestId);
    expect(all.items.map(({ item }) => item)).toEqual(Array.from({ length: items }, (_, n) => n));
    expect(all.pages).toHaveLength(Math.ceil(items / 100));
    const listed = all.items
      .flatMap(({ messages }) => messages)
      .map(({ channel, state, reason }) => toGroup(channel, state, reason ?? ''));
    expect(countByChannel(listed)).toEqual(counts);

    const { rows } = await download(requestId);
    expect(
      countByChannel(
        rows.map(({ channel = '', state = '', reason = '' }) => toGroup(channel, state, reason)),
      ),
    ).toEqual(counts);

    for (const { channel, state, reason, count: size } of groups) {
      const filters = { channel, state, ...(reason === null ? {} : { reason }) };
      expect([filters, (await download(requestId, filters)).rows.length]).toEqual([filters, size]);
    }
    for (const state of Object.values(countedAs)) {
      const { items: some } = await list(requestId, { state });
      expect([state, countMatches(some)]).toEqual([state, request.counts[state]]);
    }
    const resend = await get(
      `apps/${operator.tenant.appId}/resends/count?requestId=${requestId}&state=failed`,
    );
    const leftOut = resend.leftOut.reduce(
      (sum: number, { messages }: { messages: number }) => sum + messages,
      0,
    );
    expect(resend.messages + leftOut).toBe(request.counts.failed);
  },
);

/** A bulk with one e-mail per user, all failed. */
async function writeUsers(users: readonly object[], { isSensitive = false } = {}) {
  const { factories, database } = dashboard;
  const { tenant } = operator;
  const definition = { email: channelVersion({ subject: 'Hi', text: 'Hi' }) };
  const event = await factories.createEvent(tenant, definition, { isSensitive });
  const requestId = newId();
  const pool = database.lookUps;
  await pool.query(
    `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items, planned_to)
     VALUES ($1, $2, $3, $4, $5, 'bulk', $6, $6, $6)`,
    [requestId, tenant.accountId, tenant.appId, event.eventId, event.versionId, users.length],
  );
  await pool.query(
    `WITH i AS (
       INSERT INTO request_item (request_id, item, recipient, data)
       SELECT $1, n - 1, u, '{"code":"secret"}' FROM unnest($2::text[]) WITH ORDINALITY t (u, n)
     )
     INSERT INTO message (id, request_id, item, app_id, channel, target, state, reason, expires_at)
     SELECT gen_random_uuid(), $1, n - 1, $3, 'email', coalesce(u::jsonb ->> 'email', 'to-' || n), 'failed', 'expired', now()
     FROM unnest($2::text[]) WITH ORDINALITY t (u, n)`,
    [requestId, users.map((user) => JSON.stringify(user)), tenant.appId],
  );
  return requestId;
}

test.each([
  ['ana@example.com', [0]],
  ['ANA@', [0]],
  ['an', [0, 1]],
  ['+1 202-555-0101', [2]],
  ['+1202', [2]],
  ['example.com', []],
])('a search finds items by the start of an address or user id: %s', async (recipient, items) => {
  const requestId = await writeUsers([
    { email: 'Ana@example.com' },
    { user_id: 'Andrew' },
    { mobile: '+12025550101', user_id: 'u_3' },
  ]);
  const { items: found } = await list(requestId, { recipient });
  expect(found.map(({ item }) => item)).toEqual(items);
});

test('a search that finds nothing stops after 2,000 items and continues there', async () => {
  const requestId = await writeUsers(
    Array.from({ length: 2_050 }, (_, n) => ({ user_id: `u${n}` })),
  );
  const first = await get(at(requestId, '/items?recipient=u2049'));
  expect(first).toEqual({ items: [], next: 2_000, isPartial: true });
  const { items, pages } = await list(requestId, { recipient: 'u2049' });
  expect([items.map(({ item }) => item), pages.length]).toEqual([[2_049], 2]);
  expect((await download(requestId)).rows).toHaveLength(2_050);
});

test('the CSV file disarms formulas, keeps phone numbers and shows no content', async () => {
  const users = [{ user_id: '=HYPERLINK("x")' }, { mobile: '+12025550101' }];
  const requestId = await writeUsers(users, { isSensitive: true });
  const response = await fetch(`${dashboard.url}/api/${at(requestId, '/items.csv')}`, {
    headers: { cookie },
  });
  const text = await response.text();
  expect(text).toContain(`1,"'=HYPERLINK(""x"")",email,to-1,failed,expired,0,`);
  expect(text).toContain('2,+12025550101,email,');
  expect(text).not.toContain('secret');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="belfry-${requestId}.csv"`,
  );
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test.each(['/items', '/items.csv'])('another account gets 404: %s', async (place) => {
  const requestId = await writeUsers([{ user_id: 'u' }]);
  const other = await dashboard.createNeighbour();
  const own = `apps/${other.tenant.appId}/requests/${requestId}${place}`;
  for (const path of [own, at(requestId, place)]) {
    expect(await other.call('get', path)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  }
});

test.each(['-1', 'x', '99999999999'])('a wrong cursor is refused: %s', async (cursor) => {
  const requestId = await writeUsers([{ user_id: 'u' }]);
  const { status, body } = await operator.call('get', at(requestId, `/items?cursor=${cursor}`));
  expect([status, body.code]).toEqual([400, 'bad_request']);
});

test('the log and a resend find failures and skips by their reason', async () => {
  const { requestId } = await write(60, { seed: 5 });
  const { groups }: { groups: ReasonGroup[] } = await get(at(requestId));
  const appAt = `apps/${operator.tenant.appId}`;
  for (const { channel, state, reason, count } of groups) {
    if (reason === null) continue;
    const query = `requestId=${requestId}&channel=${channel}&reason=${reason}`;
    const { rows } = await get(`${appAt}/log?${query}`);
    expect([query, rows.length]).toEqual([query, 1]);
    if (state !== 'failed') continue;
    const { messages, leftOut } = await get(`${appAt}/resends/count?${query}&state=failed`);
    const left = leftOut.reduce(
      (sum: number, each: { messages: number }) => sum + each.messages,
      0,
    );
    expect([query, messages + left]).toEqual([query, count]);
  }
  const absent = await writeUsers([{ user_id: 'u' }]);
  expect((await get(`${appAt}/log?requestId=${absent}&reason=too_long`)).rows).toEqual([]);
  expect((await get(`${appAt}/log?requestId=${absent}&reason=opted_out`)).rows).toEqual([]);
  const byReason = await get(`${appAt}/log?reason=expired`);
  expect(byReason.rows.map((row: { requestId: string }) => row.requestId)).toContain(absent);
});
