import path from 'node:path';
import { channelVersion, chromiumPath } from '@belfry/testing';
import type { Page } from 'playwright-core';
import { fillDashboard } from './dashboard/fill-dashboard';
import {
  type OpenDashboard,
  openDashboard,
  setUp,
  signIn,
  testInBrowser,
  type WatchedPage,
} from './dashboard/open-dashboard';
import { inspectPage, listOverlappingLabels, narrow, phone, wide } from './dashboard/pictures';
import { startProxy } from './start-proxy';

// The renderer needs many seconds when tests share two cores.
jest.setTimeout(240_000);

const email = 'mara.lindqvist@harrow-goods.example';
const welcome = {
  email: channelVersion({ subject: 'Welcome {{user_name}}', html: '<p>Hello</p>' }),
};

let dashboard: OpenDashboard;
let operator: WatchedPage;
let pages: Record<string, { place: string; isShown: (page: Page) => Promise<unknown> }>;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  dashboard = await openDashboard({ delivery: 'sandbox' });
  operator = await dashboard.openPage();
  await setUp(operator, await dashboard.createSetUpLink(), email);
  const ids = await fillDashboard(dashboard);
  const empty = await dashboard.system.factories.createTenant();
  await dashboard.system.factories.createEvent(empty, welcome, { name: 'welcome' });
  await dashboard.system.database.prisma.app.update({
    where: { id: empty.appId },
    data: { accountId: dashboard.tenant.accountId, name: 'Empty app' },
  });
  pages = listPages({ ...ids, emptyAppId: empty.appId });
});

afterAll(async () => {
  await dashboard?.close();
});

type Ids = 'eventId' | 'requestId' | 'integrationId' | 'endpointId' | 'emptyAppId';

function listPages(ids: Record<Ids, string>) {
  const app = `apps/${dashboard.tenant.appId}`;
  const text = (content: string | RegExp) => (page: Page) =>
    page.getByText(content).first().waitFor();
  return {
    overview: { place: `${app}/overview`, isShown: text('Failure rate') },
    log: {
      place: `${app}/log`,
      isShown: (page: Page) =>
        page.getByRole('region', { name: 'Requests' }).getByRole('link').first().waitFor(),
    },
    request: { place: `${app}/log/${ids.requestId}`, isShown: text('Attempt 1') },
    empty: { place: `apps/${ids.emptyAppId}/log`, isShown: text('curl -sS') },
    events: { place: `${app}/events`, isShown: text('order_shipped') },
    event: {
      place: `${app}/events/${ids.eventId}`,
      isShown: async (page: Page) => {
        await page.getByRole('tab', { name: /^email/ }).click();
        // The editor highlights each placeholder.
        const editor = page.getByRole('textbox', { name: 'HTML template' });
        await editor.getByText('{{user_name}}', { exact: true }).waitFor();
        await page.getByTitle('E-mail content').waitFor();
      },
    },
    integrations: { place: `${app}/integrations/${ids.integrationId}`, isShown: text('Host') },
    queues: { place: `${app}/queues`, isShown: text('1 worker') },
    webhooks: {
      place: `${app}/webhooks/${ids.endpointId}`,
      isShown: async (page: Page) => {
        await page.getByRole('list', { name: 'Deliveries' }).getByRole('button').first().click();
        await page.getByText('webhook-id:').waitFor();
      },
    },
    'webhook settings': {
      place: `${app}/webhooks/${ids.endpointId}?tab=settings`,
      isShown: text('address.suppressed'),
    },
    'new webhook': { place: `${app}/webhooks/new`, isShown: text('address.suppressed') },
    keys: { place: 'keys', isShown: text('Rotate without downtime') },
    apps: { place: 'apps', isShown: text('Empty app') },
    account: { place: 'account', isShown: text('this session') },
    audit: { place: 'audit', isShown: (page: Page) => page.getByRole('table').waitFor() },
  };
}

const names = [
  'overview',
  'log',
  'request',
  'empty',
  'events',
  'event',
  'integrations',
  'queues',
  'webhooks',
  'webhook settings',
  'new webhook',
  'keys',
  'apps',
  'account',
  'audit',
];

const navigation = [
  ...['Overview', 'Log', 'Events', 'Integrations', 'Queues', 'Alerts', 'Sandbox', 'Users'],
  'Webhooks',
  ...['API keys', 'Apps', 'People', 'Audit'],
];

/** A timeline over 100 s has other labels than a shorter one. */
const longTimelineMs = 3 * 3_600_000;

/** Moves the acceptance of the shown request, and with it the start of its timeline. */
async function moveAcceptance(ms: number): Promise<void> {
  const requestId = pages['request']!.place.split('/').at(-1);
  await dashboard.system.database.lookUps.query(
    `UPDATE request SET created_at = created_at + $2 * interval '1 ms' WHERE id = $1`,
    [requestId, ms],
  );
}

describe('every page of the dashboard', () => {
  for (const name of names) {
    testInBrowser(
      `${name}: has no axe finding in either theme, no policy violation, and no overflow, from 390 to 1,920 px`,
      async () => {
        const { place, isShown } = pages[name]!;
        const { page, problems } = operator;
        await page.setViewportSize(wide);
        await page.goto(dashboard.url + place);
        await isShown(page);
        expect(await inspectPage(page, name)).toEqual([]);
        expect(problems).toEqual([]);
      },
    );
  }

  testInBrowser('the log on a phone keeps event, recipient and states', async () => {
    const { page } = operator;
    await page.goto(dashboard.url + pages['log']!.place);
    await page.setViewportSize({ width: 390, height: 844 });
    const row = page.getByRole('row', { name: /sandbox\+bounce@/ });
    const event = row.getByRole('link');
    const recipient = row.getByRole('cell', { name: /^sandbox\+bounce@/ });
    const states = row.getByRole('img');
    for (const part of [event, recipient, states]) {
      const box = await part.boundingBox();
      expect(box!.width).toBeGreaterThan(60);
      expect(box!.x + box!.width).toBeLessThanOrEqual(390);
    }
    await page.setViewportSize(wide);
  });

  testInBrowser(
    'no labels of an axis overlap at 390, 900 and 1,440 px, in charts and on long and short timelines',
    async () => {
      const { page } = operator;
      const expectNone = async (name: string, search = '') => {
        await page.goto(dashboard.url + pages[name]!.place + search);
        await pages[name]!.isShown(page);
        for (const window of [phone, narrow, wide]) {
          await page.setViewportSize(window);
          expect([name + search, window.width, await listOverlappingLabels(page)]).toEqual([
            name + search,
            window.width,
            [],
          ]);
        }
      };
      for (const period of ['hour', 'day', 'week'])
        await expectNone('overview', `?period=${period}`);
      await expectNone('request');
      await moveAcceptance(-longTimelineMs);
      try {
        await expectNone('request');
      } finally {
        await moveAcceptance(longTimelineMs);
      }
    },
  );

  testInBrowser(
    'the navigation on a phone has a word for each page, in targets of 24 px',
    async () => {
      const { page } = operator;
      await page.goto(dashboard.url + pages['log']!.place);
      await page.setViewportSize({ width: 390, height: 844 });
      const nav = page.getByRole('navigation');
      await nav.getByText('Audit', { exact: true }).waitFor();
      await nav.getByText('Overview', { exact: true }).waitFor();
      const links = await nav.getByRole('link').all();
      expect(links).toHaveLength(navigation.length);
      for (const [index, link] of links.entries()) {
        const word = navigation[index] ?? '';
        const isVisible = await link.getByText(word, { exact: true }).isVisible();
        expect([word, isVisible]).toEqual([word, true]);
        const box = await link.boundingBox();
        expect(Math.min(box!.width, box!.height)).toBeGreaterThanOrEqual(24);
      }
      await page.setViewportSize(wide);
    },
  );

  testInBrowser('the side bar shows the whole e-mail address of the operator', async () => {
    const { page } = operator;
    await page.goto(dashboard.url + pages['log']!.place);
    const address = page.getByRole('link', { name: email }).getByText(email);
    const [shown, whole] = await address.evaluate((element) => {
      const { clientHeight, scrollHeight } = element as unknown as Record<string, number>;
      return [clientHeight, scrollHeight];
    });
    expect(shown).toBe(whole);
  });

  testInBrowser('set-up and sign-in have no axe finding and no overflow', async () => {
    const visitor = await dashboard.openPage();
    const { page, problems } = visitor;
    await page.goto(dashboard.url);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await inspectPage(page, 'sign-in')).toEqual([]);
    await page.goto('about:blank');
    await page.setViewportSize(wide);
    const { accountId } = await dashboard.system.factories.createTenant();
    await page.goto(await dashboard.createSetUpLink(accountId));
    await page.getByRole('heading', { name: 'Create the first operator' }).waitFor();
    expect(await inspectPage(page, 'set-up')).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });
});

describe('the timeline', () => {
  testInBrowser(
    'shows why a message failed, and what a resend of an unknown message risks',
    async () => {
      const { page } = operator;
      await page.setViewportSize(wide);
      await page.goto(dashboard.url + pages['log']!.place);
      await page
        .getByRole('row', { name: /sandbox\+bounce@/ })
        .getByRole('link')
        .click();
      await page.getByRole('button', { name: /^email.*failed/ }).waitFor();
      const decisions = page.getByRole('list', { name: 'Needs a decision' });
      expect(await decisions.textContent()).toMatch(/recipient/i);
      await decisions.getByRole('button', { name: 'Resend email' }).waitFor();
      await page.goto(dashboard.url + pages['request']!.place);
      await page.getByRole('button', { name: /^slack.*unknown/ }).waitFor();
      await decisions.getByRole('button', { name: /^Resend \w+ anyway/ }).waitFor();
    },
  );
});

describe('the served page', () => {
  testInBrowser(
    'loads at most 150 KB of scripts and styles over the wire, and the editor only on an event page',
    async () => {
      const { page } = await dashboard.openPage();
      await page.context().addCookies(await operator.page.context().cookies());
      const loaded: Promise<[string, number]>[] = [];
      page.on('requestfinished', (request) => {
        if (!/\.(js|css)$/.test(request.url())) return;
        const name = path.basename(request.url());
        loaded.push(request.sizes().then(({ responseBodySize }) => [name, responseBodySize]));
      });
      await page.goto(dashboard.url + pages['log']!.place);
      await pages['log']!.isShown(page);
      const initial = await Promise.all(loaded);
      expect(initial.map(([name]) => name).filter((name) => /mirror|event/.test(name))).toEqual([]);
      const sum = initial.reduce((all, [, bytes]) => all + bytes, 0);
      expect(sum).toBeGreaterThan(50_000);
      expect(sum).toBeLessThanOrEqual(150_000);
      await page.goto(dashboard.url + pages['event']!.place);
      await pages['event']!.isShown(page);
      const all = await Promise.all(loaded);
      expect(all.some(([name]) => name.startsWith('code-mirror'))).toBe(true);
    },
  );

  testInBrowser('works under a path of a proxy, from each of its pages', async () => {
    const proxy = await startProxy('/notify', dashboard.url);
    try {
      const { page } = await dashboard.openPage();
      const requestedUrls: string[] = [];
      page.on('request', (request) => requestedUrls.push(request.url()));
      await signIn(page, `${proxy.url}/notify/${pages['queues']!.place}`, email);
      await pages['queues']!.isShown(page);
      await page.getByRole('link', { name: 'Events' }).click();
      await pages['events']!.isShown(page);
      await page.getByRole('link', { name: 'order_shipped' }).click();
      await pages['event']!.isShown(page);
      await page.reload();
      await pages['event']!.isShown(page);
      const foreign = requestedUrls.filter((url) => !url.startsWith(`${proxy.url}/notify/`));
      expect(foreign).toEqual([]);
    } finally {
      await proxy.close();
    }
  });

  testInBrowser(
    'keeps the shown data while the server is down, and says how old it is',
    async () => {
      const { page } = operator;
      await page.goto(dashboard.url + pages['queues']!.place);
      await pages['queues']!.isShown(page);
      await dashboard.server.stop('SIGKILL');
      await page
        .getByText(/Showing data as of \d\d:\d\d:\d\d/)
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Try again' }).first().waitFor();
      expect(await page.getByText('1 worker').count()).toBeGreaterThan(0);
    },
  );
});
