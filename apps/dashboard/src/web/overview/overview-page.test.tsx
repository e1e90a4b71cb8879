import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import type { OverviewAnswer, OverviewCounts, OverviewPoint } from '../../api/overview';
import { createTestApi, renderPart } from '../render-part.fixture';
import { OverviewPage } from './overview-page';

afterEach(cleanup);

const stepMs = 60_000;
const now = Date.UTC(2026, 10, 30, 5);
const none = { waiting: 0, sent: 0, delivered: 0, read: 0, failed: 0, skipped: 0, unknown: 0 };

const createPoint = (minute: number, counts: Partial<OverviewCounts>): OverviewPoint => ({
  ...{ ...none, ...counts, at: now + minute * stepMs },
  latency: { messages: 1, p50Ms: 12, p95Ms: 340 },
});

const points = [
  createPoint(0, { delivered: 1_204, failed: 3 }),
  createPoint(1, {}),
  createPoint(2, { skipped: 7, waiting: 5 }),
];

const overview: OverviewAnswer = {
  ...{ period: 'hour', from: now, to: now + 3 * stepMs, stepMs, readAt: Date.now() },
  ...{ countedAt: Date.now(), uncountedMinutes: 0 },
  totals: { ...none, delivered: 1_204, failed: 3, skipped: 7, waiting: 5 },
  ...{ failureRate: 3 / 1_207, latency: { messages: 2, p50Ms: 12, p95Ms: 340 }, points },
  ...{ channels: [], failures: [], backlog: [] },
  ...{ unhealthyIntegrations: [], healthyIntegrations: 0, untestedIntegrations: 0 },
};

test('each chart can be read as a table with every number, whose steps lead to their requests', async () => {
  renderPart(<OverviewPage />, createTestApi({ 'GET /api/apps/:appId/overview': overview }));
  const charts = await screen.findAllByRole('button', { name: 'Show as table' });
  expect(charts).toHaveLength(2);
  for (const chart of charts) fireEvent.click(chart);
  const tables = screen.getAllByRole('table', { name: 'Messages by time' });
  expect(tables).toHaveLength(2);
  for (const table of tables) {
    const [, ...rows] = within(table).getAllByRole('row');
    const cells = rows.map((row) =>
      [...row.querySelectorAll('td')].slice(1).map(({ textContent }) => textContent),
    );
    // Read, delivered, sent, waiting, unknown, skipped, failed, p50 and p95; newest first.
    expect(cells).toEqual([
      ['0', '0', '0', '5', '0', '7', '0', '12 ms', '340 ms'],
      ['0', '1,204', '0', '0', '0', '0', '3', '12 ms', '340 ms'],
    ]);
    const [link] = within(table).getAllByRole('link');
    const at = now + 2 * stepMs;
    expect(link?.getAttribute('href')).toBe(`/apps/a/log?from=${at}&to=${at + stepMs}`);
  }
});

test('each count of a channel leads to exactly its messages', async () => {
  const { totals, failureRate, latency } = overview;
  const email = { channel: 'email', totals, failureRate, latency, points };
  const answer = { ...overview, channels: [email] };
  renderPart(<OverviewPage />, createTestApi({ 'GET /api/apps/:appId/overview': answer }));
  const table = await screen.findByRole('table', { name: 'Messages by channel' });
  const links = within(table)
    .getAllByRole('link')
    .map((link) => link.getAttribute('href'));
  const states = ['delivered', 'waiting', 'skipped', 'failed'];
  const period = `from=${overview.from}&to=${overview.to}`;
  expect(links).toEqual(
    states.map((state) => `/apps/a/log?channel=email&state=${state}&${period}`),
  );
});

test.each([
  { healthy: 0, untested: 0, text: 'No integrations yet.' },
  { healthy: 0, untested: 2, text: '2 integrations, not used or tested yet.' },
  { healthy: 3, untested: 0, text: 'No integration fails.' },
  { healthy: 3, untested: 2, text: 'No integration fails. 2 not used or tested yet.' },
])(
  'integrations are called free of failures only if one was used or tested: $text',
  async ({ healthy, untested, text }) => {
    const answer = { ...overview, healthyIntegrations: healthy, untestedIntegrations: untested };
    renderPart(<OverviewPage />, createTestApi({ 'GET /api/apps/:appId/overview': answer }));
    const section = await screen.findByRole('region', { name: 'Unhealthy integrations' });
    expect(within(section).getByText(text)).toBeTruthy();
  },
);
