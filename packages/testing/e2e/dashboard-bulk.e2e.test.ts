import {
  channelVersion,
  chromiumPath,
  type MixedRequest,
  writeMixedRequest,
} from '@belfry/testing';
import type { Page } from 'playwright-core';
import {
  type OpenDashboard,
  openDashboard,
  setUp,
  testInBrowser,
  type WatchedPage,
} from './dashboard/open-dashboard';
import { inspectPage } from './dashboard/pictures';

// The renderer needs many seconds when tests share two cores.
jest.setTimeout(240_000);

let dashboard: OpenDashboard;
let owner: WatchedPage;
let bulk: MixedRequest;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  dashboard = await openDashboard({ delivery: 'sandbox' });
  owner = await dashboard.openPage();
  await setUp(owner, await dashboard.createSetUpLink(), 'bea@example.com');
  const { factories, database } = dashboard.system;
  const channels = ['email', 'slack'];
  const event = await factories.createEvent(dashboard.tenant, {
    email: channelVersion({ subject: 'Hi', text: 'Hi' }),
    slack: channelVersion({ text: 'Hi' }),
  });
  const options = { event, channels, items: 1_000, unplanned: 0, seed: 3 };
  bulk = await writeMixedRequest(database, dashboard.tenant, options);
});

afterAll(() => dashboard?.close());

const list = (page: Page) => page.getByRole('region', { name: 'Items' }).getByRole('listitem');

testInBrowser(
  'a bulk request shows totals, reasons and items; a number filters the items, and an item opens its timeline',
  async () => {
    const { page, problems } = owner;
    await page.goto(`${dashboard.url}apps/${dashboard.tenant.appId}/log/${bulk.requestId}`);
    const totals = page.getByRole('table', { name: 'Messages by channel and state' });
    const failed = bulk.counts['email']?.failed ?? 0;
    await totals.getByRole('button', { name: `Show ${failed} failed messages on email` }).waitFor();
    await list(page).first().waitFor();
    // Only the rows in sight are in the page.
    expect(await list(page).count()).toBeLessThan(100);
    expect(await inspectPage(page, 'bulk')).toEqual([]);

    await totals.getByRole('button', { name: `Show ${failed} failed messages on email` }).click();
    await page.getByRole('button', { name: 'Remove the filter state' }).waitFor();
    await list(page).filter({ hasText: 'failed' }).first().waitFor();

    expect(await inspectPage(page, 'bulk-filtered')).toEqual([]);

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    expect((await download).suggestedFilename()).toBe(`belfry-${bulk.requestId}.csv`);

    await page.getByRole('button', { name: 'Resend these…' }).first().click();
    await page.getByRole('dialog').getByText('will be resent').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Remove the filter state' }).click();
    await page.getByRole('button', { name: 'Remove the filter channel' }).click();
    // The end of the first page reads the second one.
    const pane = page.getByRole('region', { name: 'Request', exact: true });
    await pane.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await list(page)
      .getByRole('button', { name: /^Item 10[1-9]/ })
      .first()
      .waitFor({ state: 'attached' });
    // By keyboard: a row that moves while the second page arrives swallows a click.
    await list(page).first().getByRole('button').press('Enter');
    await page.getByText(/^Item \d+ of 1,000$/).waitFor();
    await page.getByRole('button', { name: 'All items' }).click();
    await list(page).first().waitFor();
    expect(problems).toEqual([]);
  },
);
