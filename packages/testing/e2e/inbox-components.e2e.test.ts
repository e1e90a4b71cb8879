import { eventually } from '@belfry/testing';
import type { Locator, Page } from 'playwright-core';
import { send } from '../../inbox/src/gateway.fixture';
import { findA11yProblems, testInBrowser } from './dashboard/open-dashboard';
import { openSite, type Site } from './inbox/open-site';

// The renderer needs many seconds when tests share two cores.
jest.setTimeout(120_000);

let site: Site;
let userCount = 0;

beforeAll(async () => {
  site = await openSite();
});

afterAll(() => site?.close());

/** Each test has its own reader, with items from the oldest to the newest. */
function createUser(count = 0): string {
  userCount += 1;
  const userId = `user-${userCount}`;
  const reader = site.gateway.getReader(userId);
  for (let number = 1; number <= count; number += 1) {
    reader.add({
      title: `Order A-${number} is on its way`,
      body: 'Your parcel has left our warehouse.',
      ...(number % 2 === 0 && { click_action: `/?order=${number}` }),
    });
  }
  return userId;
}

const bell = (page: Page) => page.locator('belfry-bell').getByRole('button').first();
const list = (page: Page) => page.getByRole('feed');
const item = (page: Page, name: string | RegExp) => page.getByRole('article', { name });
const streams = () => site.gateway.streams.size;

const titles = (page: Page) => list(page).getByRole('heading').allTextContents();

async function expectTitles(page: Page, expected: string[]): Promise<void> {
  await eventually(async () => expect(await titles(page)).toEqual(expected));
}

/** Where the focus is, inside of shadow trees, too; a focus that cannot be seen is named. */
function readFocus(page: Page): Promise<string> {
  return page.evaluate(findFocus);
}

/** The used members of an element and of the page. The tests are compiled without the types of a browser. */
type Part = {
  shadowRoot: { activeElement: Part | null } | null;
  tagName: string;
  getAttribute(name: string): string | null;
  textContent: string;
};
type BrowserPage = {
  document: { activeElement: Part | null };
  getComputedStyle(part: Part): { outlineStyle: string; outlineWidth: string };
};

function findFocus(): string {
  const { document, getComputedStyle } = globalThis as unknown as BrowserPage;
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  if (!focused) return '';
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  const isVisible = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
  const name = focused.getAttribute('aria-label') ?? focused.textContent.trim();
  return `${focused.tagName} ${name}${isVisible ? '' : ' (no outline)'}`;
}

async function press(page: Page, keys: string[]): Promise<string> {
  for (const key of keys) await page.keyboard.press(key);
  return readFocus(page);
}

describe('axe', () => {
  for (const { lang, dir } of [
    { lang: 'en', dir: 'ltr' },
    { lang: 'ar', dir: 'rtl' },
  ] as const) {
    testInBrowser(`finds nothing in both components and themes, ${dir}`, async () => {
      const userId = createUser(3);
      const components = ['belfry-bell', 'belfry-inbox'];
      const { page, problems } = await site.openPage({ userId, components, lang, dir });
      await item(page, /A-3/).waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findA11yProblems(page)).toEqual([]);
      }
      await page.getByRole('button', { name: /A-2/ }).last().click();
      await bell(page).click();
      await page.getByRole('dialog').waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findA11yProblems(page)).toEqual([]);
      }
      expect(problems).toEqual([]);
    });
  }

  testInBrowser('finds nothing in an empty list, and in one that cannot be loaded', async () => {
    const components = ['belfry-inbox'];
    const { page: empty } = await site.openPage({ userId: createUser(), components });
    await empty.getByText('No notifications').waitFor();
    expect(await findA11yProblems(empty)).toEqual([]);
    const failing = createUser(1);
    const { page } = await site.openPage({ components });
    const stop = site.gateway.addFault(({ path, headers }, response) => {
      const isHit = path === 'items' && headers['authorization'] !== undefined;
      if (isHit) send(response, 404, { code: 'not_found' });
      return isHit;
    });
    await page.goto(page.url().replace('user=ana', `user=${failing}`));
    await page.getByText('The notifications could not be loaded.').waitFor();
    expect(await findA11yProblems(page)).toEqual([]);
    stop();
    await page.getByRole('button', { name: 'Try again' }).click();
    await item(page, /A-1/).waitFor();
  });
});

describe('the keyboard alone', () => {
  testInBrowser('opens, reads, changes and closes the list of a bell', async () => {
    const userId = createUser(3);
    const { page, problems } = await site.openPage({ userId, components: ['belfry-bell'] });
    await page.getByRole('button', { name: 'Notifications, New: 3' }).waitFor();
    expect(await press(page, ['Tab'])).toBe('BUTTON Notifications, New: 3');
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await readFocus(page)).toMatch(/^ARTICLE Unread.*A-3/));
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    expect(await press(page, ['ArrowDown'])).toMatch(/^ARTICLE Unread.*A-2/);
    expect(await press(page, ['PageDown'])).toMatch(/^ARTICLE Unread.*A-1/);
    expect(await press(page, ['PageDown'])).toMatch(/^ARTICLE Unread.*A-1/);
    expect(await press(page, ['Home'])).toMatch(/^ARTICLE Unread.*A-3/);
    expect(await press(page, ['End', 'PageUp'])).toMatch(/^ARTICLE Unread.*A-2/);
    expect(await press(page, ['Tab'])).toMatch(/^A Order A-2/);
    expect(await press(page, ['Tab'])).toMatch(/^BUTTON Mark as read: Order A-2/);
    await page.keyboard.press('Enter');
    await eventually(async () =>
      expect(await readFocus(page)).toMatch(/^BUTTON Mark as unread: Order A-2/),
    );
    expect(await press(page, ['Tab'])).toMatch(/^BUTTON Archive: Order A-2/);
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await readFocus(page)).toMatch(/^ARTICLE Unread.*A-1/));
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('Escape');
    // The browser closes a popover after the key.
    await eventually(async () => expect(await readFocus(page)).toBe('BUTTON Notifications'));
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  testInBrowser('follows a link by Enter, which marks the item as read', async () => {
    const userId = createUser(2);
    const { page } = await site.openPage({ userId, components: ['belfry-inbox'] });
    await item(page, /A-2/).waitFor();
    await item(page, /A-2/).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/order=2/);
    await eventually(() =>
      expect(site.gateway.getReader(userId).items[1]?.read_at).toEqual(expect.any(Number)),
    );
  });
});

describe('the content of an item', () => {
  testInBrowser('is text, and only http, https and relative addresses are links', async () => {
    const userId = createUser();
    const reader = site.gateway.getReader(userId);
    const attack = '<img src=x onerror="document.title=\'attacked\'">';
    const schemes = ['javascript:document.title="attacked"', 'data:text/html,x', 'JaVaScRiPt:x'];
    for (const click_action of schemes) {
      reader.add({ title: attack, body: attack, click_action, image: click_action });
    }
    reader.add({ title: 'far', click_action: 'https://example.com/a' });
    reader.add({ title: 'near', click_action: '/near', image: '/near.png' });
    const { page, problems } = await site.openPage({ userId, components: ['belfry-inbox'] });
    await item(page, /near/).waitFor();
    await expectTitles(page, ['near', 'far', attack, attack, attack]);
    const links = list(page).getByRole('link');
    const addresses = await links.evaluateAll((all) =>
      (all as unknown as { href: string; rel: string }[]).map(({ href, rel }) => [href, rel]),
    );
    expect(addresses).toEqual([
      [`${site.url}near`, 'noopener'],
      ['https://example.com/a', 'noopener'],
    ]);
    expect(await page.locator('belfry-inbox img:visible').count()).toBe(1);
    for (const heading of await list(page).getByRole('heading').all()) {
      if ((await heading.textContent()) === attack) await heading.click();
    }
    expect(await page.title()).toBe('Shop');
    expect(problems).toEqual([]);
  });

  testInBrowser('lets an application with a router navigate by itself', async () => {
    const userId = createUser(2);
    const { page } = await site.openPage({ userId, components: ['belfry-bell'] });
    await page.evaluate(`addEventListener('belfry-open', (event) => {
      event.preventDefault();
      document.title = event.detail.item.message_body.click_action;
    })`);
    await bell(page).click();
    const url = page.url();
    await page.getByRole('link', { name: /A-2/ }).click();
    await eventually(async () => expect(await page.title()).toBe('/?order=2'));
    expect(page.url()).toBe(url);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});

describe('two tabs', () => {
  testInBrowser(
    'hold one stream and both show everything once; if one closes, the other goes on without loss',
    async () => {
      const userId = createUser(1);
      const reader = site.gateway.getReader(userId);
      const context = await site.browser.newContext();
      const options = { userId, components: ['belfry-bell', 'belfry-inbox'], context };
      const before = streams();
      const first = await site.openPage(options);
      await eventually(() => expect(streams()).toBe(before + 1));
      const second = await site.openPage(options);
      await item(second.page, /A-1/).waitFor();
      const expected = ['Order A-1 is on its way'];
      for (let number = 2; number <= 12; number += 1) {
        expected.unshift(`Item ${number}`);
        reader.add();
        if (number === 6) await expectTitles(second.page, expected);
        if (number === 8) await first.page.close();
      }
      await expectTitles(second.page, expected);
      await eventually(() => expect(streams()).toBe(before + 1));
      reader.add();
      await expectTitles(second.page, ['Item 13', ...expected]);
      expect([...first.problems, ...second.problems]).toEqual([]);
      await context.close();
      await eventually(() => expect(streams()).toBe(before));
    },
  );
});

describe('what happens meanwhile', () => {
  testInBrowser(
    'a new item is announced once, politely, and counted until it is seen',
    async () => {
      const userId = createUser(1);
      const components = ['belfry-bell', 'belfry-inbox'];
      const { page } = await site.openPage({ userId, components: components.slice(0, 1) });
      await page.getByRole('button', { name: 'Notifications, New: 1' }).waitFor();
      site.gateway.getReader(userId).add({ title: 'Lunch' });
      await page.getByRole('button', { name: 'Notifications, New: 2' }).waitFor();
      const announcements = page.getByRole('status').filter({ hasText: /\S/ });
      expect(await announcements.allTextContents()).toEqual(['Notifications, New: Lunch']);
      await bell(page).click();
      await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
      await eventually(() =>
        expect(site.gateway.getReader(userId).count()).toMatchObject({ unseen: 0 }),
      );
      expect(site.gateway.getReader(userId).count().unread).toBe(2);
      // Its open list would mark the next item as seen.
      await page.close();
      const both = await site.openPage({ userId, components });
      await item(both.page, /Lunch/).waitFor();
      site.gateway.getReader(userId).add({ title: 'Dinner' });
      await both.page
        .getByText('Notifications, New: Dinner')
        .first()
        .waitFor({ state: 'attached' });
      expect(await both.page.getByText('Notifications, New: Dinner').count()).toBe(1);
    },
  );

  testInBrowser('a new item is announced also while the list is shown', async () => {
    const userId = createUser(1);
    const { page } = await site.openPage({ userId, components: ['belfry-inbox'] });
    await item(page, /A-1/).waitFor();
    site.gateway.getReader(userId).add({ title: 'Dinner' });
    const announcement = page.getByText('Notifications, New: Dinner');
    await announcement.waitFor({ state: 'attached' });
  });

  testInBrowser('a change that the gateway refuses is undone, and the reader is told', async () => {
    const userId = createUser(1);
    const { page } = await site.openPage({ userId, components: ['belfry-inbox'] });
    await item(page, /A-1/).waitFor();
    const stop = site.gateway.addFault(({ method }, response) => {
      if (method === 'PUT') send(response, 422, { code: 'validation_failed' });
      return method === 'PUT';
    });
    await page.getByRole('button', { name: /^Archive/ }).click();
    await page.getByText('The change could not be saved.').waitFor();
    await item(page, /A-1/).waitFor();
    stop();
    await page.getByRole('button', { name: /^Archive/ }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await item(page, /A-1/).waitFor();
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await eventually(() => expect(site.gateway.getReader(userId).count().unread).toBe(0));
  });

  testInBrowser('a reader without connection keeps the list, and it catches up', async () => {
    const userId = createUser(1);
    const { page } = await site.openPage({ userId, components: ['belfry-inbox'] });
    await item(page, /A-1/).waitFor();
    await eventually(() => expect(streams()).toBeGreaterThan(0));
    await page.context().setOffline(true);
    site.gateway.breakStreams();
    await page.getByText('No connection.').waitFor();
    await item(page, /A-1/).waitFor();
    site.gateway.getReader(userId).add({ title: 'Missed' });
    await page.context().setOffline(false);
    await item(page, /Missed/).waitFor();
    await eventually(async () => expect(await page.getByText('No connection.').count()).toBe(0));
  });
});

/** A link inside of a text is exempt from the minimum size (WCAG 2.2, 2.5.8). */
async function expectTarget(target: Locator): Promise<void> {
  const box = await target.boundingBox();
  if (!box) throw new Error('The target has no size');
  const isLink = (await target.evaluate((node) => node.tagName)) === 'A';
  if (!isLink) expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(24);
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(320);
}

describe('the layout', () => {
  testInBrowser(
    'has targets of at least 24 px and no overflow at 320 px, LTR and RTL',
    async () => {
      const userId = createUser(3);
      site.gateway
        .getReader(userId)
        .add({ title: 'W'.repeat(200), body: `${'long '.repeat(200)}` });
      for (const { lang, dir } of [
        { lang: 'de', dir: 'ltr' },
        { lang: 'ar', dir: 'rtl' },
      ] as const) {
        const components = ['belfry-bell', 'belfry-inbox'];
        const { page } = await site.openPage({ userId, components, lang, dir });
        await page.setViewportSize({ width: 320, height: 640 });
        await item(page, /W{200}/)
          .first()
          .waitFor();
        await bell(page).click();
        await page.getByRole('dialog').waitFor();
        for (const target of await page.locator('button:visible, a[href]:visible').all()) {
          await expectTarget(target);
        }
        const width = await page.evaluate('document.documentElement.scrollWidth');
        expect(width).toBeLessThanOrEqual(320);
        await page.close();
      }
    },
  );
});
