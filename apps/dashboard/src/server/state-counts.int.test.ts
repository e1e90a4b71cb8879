import { countStates, type StateGroup } from '@belfry/shared';
import { channelVersion, writeMixedRequest } from '@belfry/testing';
import type { ChannelSummary } from '../api/log';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

afterAll(() => dashboard?.close());

const channels = ['email', 'slack', 'sms'];

async function write(items: number, unplanned: number, seed: number) {
  const { factories, tenant, database } = dashboard;
  const event = await factories.createEvent(tenant, {
    email: channelVersion({ subject: 'Hi', text: 'Hi' }),
    slack: channelVersion({ text: 'Hi' }),
    sms: channelVersion({ text: 'Hi' }),
  });
  return writeMixedRequest(database, tenant, { event, channels, items, unplanned, seed });
}

async function get(path: string) {
  const { body, status } = await dashboard.call('get', `apps/${dashboard.tenant.appId}/${path}`);
  expect(status).toBe(200);
  return body;
}

function getCounts(slots: Record<string, { counts: unknown }>) {
  return Object.fromEntries(
    Object.entries(slots).map(([channel, { counts }]) => [channel, counts]),
  );
}

// apps/api/src/routes/request-status.int.test.ts reads the same requests through the API.
test.each([
  [60, 12, 1],
  [60, 12, 2],
  [60, 12, 3],
  [1_000, 0, 4],
])(
  'the row of the log and the page of a request count every state and reason: %i items, %i not planned (%i)',
  async (items, unplanned, seed) => {
    const { requestId, counts } = await write(items, unplanned, seed);
    const { rows } = await get(`log?requestId=${requestId}`);
    const page = await get(`requests/${requestId}?item=${items - 1}`);
    expect(getCounts(rows[0].channels)).toEqual(counts);
    expect(getCounts(page.channels)).toEqual(counts);
    const all = Object.values(counts);
    const sum = (name: 'total' | 'waiting' | 'skipped') =>
      all.reduce((total, each) => total + each[name], 0);
    expect(page.counts).toMatchObject({
      total: sum('total'),
      waiting: sum('waiting'),
      skipped: sum('skipped'),
    });
    const { total, skippedByReason, ...states } = page.counts;
    expect(sumValues(states)).toBe(total);
    expect(sumValues(skippedByReason)).toBe(states.skipped);
  },
);

function sumValues(numbers: Record<string, number>): number {
  return Object.values(numbers).reduce((sum, number) => sum + number, 0);
}

test('the counts of the items add up to those of the request', async () => {
  const { requestId, counts } = await write(60, 12, 6);
  const groups: StateGroup[] = [];
  for (let item = 0; item < 60; item += 1) {
    const { itemChannels: summaries } = await get(`requests/${requestId}?item=${item}`);
    for (const [channel, slot] of Object.entries<ChannelSummary>(summaries)) {
      groups.push({ channel, state: 'sent', reason: null, count: slot.counts.total });
    }
  }
  for (const channel of channels) {
    const own = groups.filter((group) => group.channel === channel);
    expect(countStates(own).total).toBe(counts[channel]?.total);
  }
});
