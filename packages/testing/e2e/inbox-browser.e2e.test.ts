import { eventually, type System, type TestProcess } from '@belfry/testing';
import type { Page } from 'playwright-core';
import { type CompressingProxy, startCompressingProxy } from './compressing-proxy';
import { testInBrowser } from './dashboard/open-dashboard';
import type { Site } from './inbox/open-site';
import { openSystemSite, type SystemGateway } from './inbox/system-site';

// The renderer needs many seconds when tests share two cores.
jest.setTimeout(120_000);

const patience = { timeoutMs: 30_000 };
let site: Site<SystemGateway>;
let proxy: CompressingProxy;
let doomed: TestProcess;

beforeAll(async () => {
  site = await openSystemSite(startGateways);
});

afterAll(async () => {
  await proxy?.close();
  await site?.close();
});

/** A proxy before two gateways, which prefers the second one. */
async function startGateways(system: System): Promise<string> {
  proxy = await startCompressingProxy({ honorsNoTransform: true });
  doomed = await system.startGateway();
  const { url } = await doomed.waitForLine('api.ready');
  proxy.setTargets([String(url), system.apiUrl]);
  return proxy.url;
}

/** The open streams of the gateways that still run. */
async function countStreams(): Promise<number> {
  const gateways = [site.gateway.system.api, doomed];
  const counts = await Promise.all(
    gateways.map(async (gateway) => {
      const { metrics_url: url } = await gateway.waitForLine('api.ready');
      const text = await fetch(new URL('/metrics', String(url))).then(
        (response) => response.text(),
        () => '',
      );
      return Number(/^belfry_inbox_streams (\d+)$/m.exec(text)?.[1] ?? 0);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

const item = (page: Page, name: string | RegExp) => page.getByRole('article', { name });

async function expectTitles(page: Page, titles: string[]): Promise<void> {
  const headings = page.getByRole('feed').getByRole('heading');
  await eventually(
    async () => expect((await headings.allTextContents()).toSorted()).toEqual(titles.toSorted()),
    patience,
  );
}

/** Sends events one after the other; returns the titles of their items. */
async function sendItems(
  userId: string,
  { from, to }: { from: number; to: number },
): Promise<string[]> {
  const titles = Array.from({ length: to - from + 1 }, (_, index) => `Item ${from + index}`);
  for (const title of titles) await site.gateway.send(userId, title);
  return titles;
}

describe('the components at the running system', () => {
  testInBrowser(
    'show an event that a backend sends, and changes of one browser in another one',
    async () => {
      const userId = 'ana';
      const open = { userId, components: ['belfry-bell', 'belfry-inbox'] };
      const [first, second] = [await site.openPage(open), await site.openPage(open)];
      await eventually(async () => expect(await countStreams()).toBe(2), patience);
      await site.gateway.send(userId, 'Order 1');
      await site.gateway.send(userId, 'Order 2');
      for (const { page } of [first, second]) await expectTitles(page, ['Order 1', 'Order 2']);
      await item(first.page, /Unread.*Order 1/).waitFor();
      await first.page.getByRole('button', { name: 'Mark as read: Order 1' }).click();
      await second.page.getByRole('button', { name: 'Mark as unread: Order 1' }).waitFor();
      await second.page.getByRole('button', { name: 'Archive: Order 2' }).click();
      await expectTitles(first.page, ['Order 1']);
      await second.page.getByRole('button', { name: 'Undo' }).click();
      await expectTitles(first.page, ['Order 1', 'Order 2']);
      await second.page.getByRole('button', { name: 'Mark all as read' }).click();
      await first.page.getByRole('button', { name: 'Mark as unread: Order 2' }).waitFor();
      const { prisma } = site.gateway.system.database;
      const stored = await prisma.inboxItem.findMany({ where: { userId } });
      expect(stored.map(({ seenAt, readAt, archivedAt }) => [seenAt, readAt, archivedAt])).toEqual([
        [expect.any(Date), expect.any(Date), null],
        [expect.any(Date), expect.any(Date), null],
      ]);
      expect([...first.problems, ...second.problems]).toEqual([]);
      await Promise.all([first, second].map(({ page }) => page.context().close()));
    },
  );

  testInBrowser(
    'show each item once in two tabs with one stream, while the tab that reads it closes and its gateway is killed',
    async () => {
      const userId = 'bob';
      const context = await site.browser.newContext();
      const open = { userId, components: ['belfry-inbox'], context };
      await eventually(async () => expect(await countStreams()).toBe(0), patience);
      const first = await site.openPage(open);
      await eventually(async () => expect(await countStreams()).toBe(1), patience);
      const second = await site.openPage(open);
      await second.page.getByText('No notifications').waitFor();
      const early = await sendItems(userId, { from: 1, to: 10 });
      await expectTitles(second.page, early);
      expect(await countStreams()).toBe(1);
      const sending = sendItems(userId, { from: 11, to: 60 });
      await item(second.page, /Item 20$/).waitFor();
      await first.page.close();
      await item(second.page, /Item 40$/).waitFor();
      await doomed.stop('SIGKILL');
      const titles = [...early, ...(await sending)];
      await expectTitles(second.page, titles);
      await eventually(async () => expect(await countStreams()).toBe(1), patience);
      expect([...first.problems, ...second.problems]).toEqual([]);
      await context.close();
      await eventually(async () => expect(await countStreams()).toBe(0), patience);
    },
  );
});
