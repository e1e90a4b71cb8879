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
  new URLSearchParams(Object.entries(filters).map(([name, value]) => [name, String(value)]));

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

const count = (items: readonly ItemRow[]) =>
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
  [130, 0, 2],
  [700, 40, 3],
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
      expect([filters, count((await list(requestId, filters)).items)]).toEqual([filters, size]);
    }
    for (const name of Object.values(countedAs)) {
      const [{ items: some }, file] = await Promise.all([
        list(requestId, { state: name }),
        download(requestId, { state: name }),
      ]);
      expect([name, count(some)]).toEqual([name, request.counts[name]]);
      expect([name, file.rows.length]).toEqual([name, request.counts[name]]);
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
