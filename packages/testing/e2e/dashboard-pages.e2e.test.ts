import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { fillDashboard } from './dashboard/fill-dashboard';
import {
  executablePath,
  findA11yProblems,
  type OpenDashboard,
  openDashboard,
  setUp,
  testInBrowser,
  type WatchedPage,
} from './dashboard/open-dashboard';

// The renderer needs many seconds where two cores are shared.
jest.setTimeout(240_000);

/** UPDATE_SCREENSHOTS=1 writes what the documents show. */
const screenshots = path.resolve(__dirname, '../../../docs/screenshots');
const isWriting = process.env['UPDATE_SCREENSHOTS'] === '1';
const themes = ['light', 'dark'] as const;
const settleMs = 700;

let dashboard: OpenDashboard;
let operator: WatchedPage;
let pages: Record<string, { place: string; isShown: (page: Page) => Promise<unknown> }>;

beforeAll(async () => {
  if (executablePath === undefined) return;
  dashboard = await openDashboard('sandbox');
  operator = await dashboard.openPage();
  await operator.page.goto(dashboard.url);
  const link = await dashboard.createSetUpLink();
  await setUp(operator.page, link);
  const { eventId, requestId, integrationId } = await fillDashboard(dashboard);
  const empty = await dashboard.system.factories.createTenant();
  await dashboard.system.database.prisma.app.update({
    where: { id: empty.appId },
    data: { accountId: dashboard.tenant.accountId, name: 'Empty app' },
  });
  pages = pagesOf({ eventId, requestId, integrationId, emptyAppId: empty.appId });
});

afterAll(async () => {
  await dashboard?.close();
});

function pagesOf(ids: Record<'eventId' | 'requestId' | 'integrationId' | 'emptyAppId', string>) {
  const app = `apps/${dashboard.tenant.appId}`;
  const text = (shown: string | RegExp) => (page: Page) => page.getByText(shown).first().waitFor();
  return {
    log: { place: `${app}/log`, isShown: (page: Page) => page.locator('td.ev a').first().waitFor() },
    request: { place: `${app}/log/${ids.requestId}`, isShown: text('Attempt 1') },
    empty: { place: `apps/${ids.emptyAppId}/log`, isShown: text('No request yet') },
    events: { place: `${app}/events`, isShown: text('order_shipped') },
    event: {
      place: `${app}/events/${ids.eventId}`,
      isShown: async (page: Page) => {
        await page.getByRole('tab', { name: /^email/ }).click();
        await page.locator('.cm-content .hb').first().waitFor();
        await page.locator('.pv-em').waitFor();
      },
    },
    integrations: { place: `${app}/integrations/${ids.integrationId}`, isShown: text('Host') },
    queues: { place: `${app}/queues`, isShown: text('1 worker') },
    keys: { place: 'keys', isShown: text('To rotate') },
    apps: { place: 'apps', isShown: text('Empty app') },
    account: { place: 'account', isShown: text('this one') },
    audit: { place: 'audit', isShown: (page: Page) => page.locator('table').waitFor() },
  };
}

async function look({ page }: WatchedPage, name: string, theme: string): Promise<string[]> {
  await page.waitForTimeout(settleMs);
  if (isWriting) {
    mkdirSync(screenshots, { recursive: true });
    await page.screenshot({ path: path.join(screenshots, `dashboard-${name}-${theme}.png`) });
  }
  return findA11yProblems(page);
}

const names = [
  'log',
  'request',
  'empty',
  'events',
  'event',
  'integrations',
  'queues',
  'keys',
  'apps',
  'account',
  'audit',
];

describe('every page of the dashboard', () => {
  for (const theme of themes) {
    for (const name of names) {
      testInBrowser(
        `${name}, ${theme}: axe finds nothing serious, nothing is forbidden`,
        async () => {
          const { place, isShown } = pages[name]!;
          await operator.page.emulateMedia({ colorScheme: theme });
          await operator.page.goto(dashboard.url + place);
          await isShown(operator.page);
          expect(await look(operator, name, theme)).toEqual([]);
          expect(operator.wrong).toEqual([]);
        },
      );
    }

    testInBrowser(`set-up and sign-in, ${theme}: axe finds nothing serious`, async () => {
      const visitor = await dashboard.openPage();
      await visitor.page.emulateMedia({ colorScheme: theme });
      await visitor.page.goto(dashboard.url);
      await visitor.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await look(visitor, 'sign-in', theme)).toEqual([]);
      await visitor.page.goto('about:blank');
      await visitor.page.goto(await dashboard.createSetUpLink());
      await visitor.page.getByRole('heading', { name: 'Make the first operator' }).waitFor();
      expect(await look(visitor, 'set-up', theme)).toEqual([]);
      expect(visitor.wrong).toEqual([]);
    });
  }

  testInBrowser('loses nothing at 900 pixels: no page is wider than the window', async () => {
    const { page } = operator;
    await page.setViewportSize({ width: 900, height: 1_000 });
    for (const name of names) {
      await page.goto(dashboard.url + pages[name]!.place);
      await pages[name]!.isShown(page);
      await look(operator, name, '900');
      const width = (field: string) => page.locator('html').evaluate(read, field);
      const [scrollWidth, clientWidth] = [await width('scrollWidth'), await width('clientWidth')];
      expect([name, scrollWidth]).toEqual([name, clientWidth]);
    }
  });
});

function read(element: object, field: string): number {
  return Reflect.get(element, field);
}
