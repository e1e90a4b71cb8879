import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { channelVersion, chromiumPath, eventually } from '@belfry/testing';
import type { Page } from 'playwright-core';
import {
  type OpenDashboard,
  openDashboard,
  password,
  setUp,
  signIn,
  testInBrowser,
  type WatchedPage,
} from './dashboard/open-dashboard';

// The renderer needs many seconds when tests share two cores.
jest.setTimeout(240_000);

const run = promisify(execFile);
const email = 'ines@example.com';
const slowSaveMs = 1_000;

let dashboard: OpenDashboard;
let home: WatchedPage;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  // The gateway caches look-ups as long as in production.
  dashboard = await openDashboard({ delivery: 'live', env: { LOOKUP_CACHE_MS: '5000' } });
  home = await dashboard.openPage();
  await setUp(home, await dashboard.createSetUpLink(), email);
});

afterEach(() => dashboard?.closeOtherPages(home));
afterAll(() => dashboard?.close());

const appUrl = (place: string) => `${dashboard.url}apps/${dashboard.tenant.appId}/${place}`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Shows a page to the operator who has signed in. */
async function openAt(place: string): Promise<WatchedPage> {
  await home.page.goto(appUrl(place));
  return home;
}

describe('access', () => {
  testInBrowser('a set-up link works once; signing out ends the session', async () => {
    const { page, problems } = await dashboard.openPage();
    const { accountId } = await dashboard.system.factories.createTenant();
    const link = await dashboard.createSetUpLink(accountId);
    await page.goto(link);
    await page.getByLabel('E-mail').fill('jonas@example.com');
    await page.getByLabel('Password').fill(password);
    await button(page, 'Create operator and sign in').click();
    await page.getByRole('navigation', { name: 'App' }).waitFor();
    await button(page, 'Sign out').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
    expect(problems).toEqual([]);
  });

  testInBrowser('a wrong password is refused with a message', async () => {
    const { page } = await dashboard.openPage();
    await page.goto(dashboard.url);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill('not this sentence');
    await button(page, 'Sign in').click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('navigation', { name: 'App' }).count()).toBe(0);
    await page.getByText('Forgot your password?').click();
    await page.getByText(`belfry operator reset ${email}`).waitFor();
  });

  testInBrowser('an expired session asks to sign in, and returns to the page', async () => {
    const { page } = await dashboard.openPage();
    await signIn(page, appUrl('queues'), email);
    await page.context().clearCookies();
    await page.getByText('Your session ended').waitFor();
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'Queues' }).waitFor();
  });
});

describe('the account', () => {
  testInBrowser('shows the key after the right password, and creates a second one', async () => {
    const { page } = home;
    await page.goto(`${dashboard.url}keys`);
    const shown = page.getByRole('row').getByRole('button', { name: /^Show/ });
    await shown.first().click();
    await page.getByLabel('Your password').fill('not this sentence');
    await button(page, 'Show key').click();
    await page.locator('[aria-invalid="true"]').waitFor();
    await page.getByLabel('Your password').fill(password);
    await button(page, 'Show key').click();
    await page.getByText(dashboard.tenant.apiKey).waitFor();
    await button(page, 'Create API key').click();
    await page.getByLabel('Name').fill('Shop backend');
    await page.getByLabel('Your password').fill(password);
    await button(page, 'Create key').click();
    await shown.nth(1).waitFor();
    expect(await button(page, 'Create API key').isDisabled()).toBe(true);
  });

  testInBrowser(
    'links to the document of a page, and its theme returns to the system’s',
    async () => {
      const { page } = home;
      await page.goto(`${dashboard.url}keys`);
      const href = await page.getByRole('link', { name: 'Docs' }).getAttribute('href');
      const answer = await page.request.get(new URL(href ?? '', dashboard.url).href);
      expect(await answer.text()).toMatch(/^# Rotate keys/);
      const readTheme = () =>
        page.evaluate<string>("document.documentElement.dataset.theme ?? 'none'");
      for (const theme of ['light', 'dark', 'none']) {
        await page.getByRole('button', { name: /^Theme: / }).click();
        expect(await readTheme()).toBe(theme);
      }
      expect(await page.evaluate<string | null>("localStorage.getItem('belfry-theme')")).toBeNull();
    },
  );

  testInBrowser('creates an app in sandbox delivery and opens it', async () => {
    const { page } = home;
    await page.goto(`${dashboard.url}apps`);
    await button(page, 'Create app').first().click();
    await page.getByLabel('Name').fill('Storefront');
    await page.getByRole('dialog').getByRole('button', { name: 'Create app' }).click();
    await page.waitForURL(/\/apps\/[0-9a-f-]+\/log$/);
    await page.getByRole('button', { name: /Storefront/ }).waitFor();
    await page.goto(`${dashboard.url}apps`);
    const row = page.getByRole('row', { name: /Storefront/ });
    await row.waitFor();
    expect(await row.textContent()).toContain('sandbox');
  });

  testInBrowser('lists what an app needs to go live, and asks for its name', async () => {
    const { page } = home;
    await page.goto(`${dashboard.url}apps`);
    const row = page.getByRole('row', { name: /Storefront/ });
    await row.getByRole('button', { name: 'Go live' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('row', { name: /missing Events No event is published/ }).waitFor();
    const goLive = dialog.getByRole('button', { name: 'Go live' });
    expect(await goLive.isDisabled()).toBe(true);
    await dialog.getByLabel('Enter Storefront to confirm').fill('Storefront');
    await goLive.click();
    await row.getByText('live', { exact: true }).waitFor();
    await page.goto(`${dashboard.url}audit?action=app.`);
    await page
      .getByRole('row', { name: /app\.changed Storefront .* Delivery: sandbox → live/ })
      .waitFor();
  });
});

describe('integrations', () => {
  /** Fills the form of a new integration, saves it and tests it. */
  async function add(page: Page, name: string): Promise<void> {
    await page.getByLabel('Name', { exact: true }).fill(name);
    await button(page, 'Test connection').click();
    await page.getByText(/: passed\.$/).waitFor();
    await page.locator('form').getByRole('button', { name: 'Create integration' }).click();
    await page.getByRole('heading', { name }).waitFor();
  }

  testInBrowser('a mail server can be added, tested, changed, paused and removed', async () => {
    const { page, problems } = await openAt('integrations/new');
    const { settings } = dashboard.simulated.channels['email']!;
    await page.getByRole('radio', { name: /SMTP/ }).check({ force: true });
    await button(page, 'Test connection').click();
    await page.getByText('3 fields to correct: Name, Host, Sender address').waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('name');
    await page.getByLabel('Host').fill('127.0.0.1');
    await page.getByLabel('Port').fill(String(settings['port']));
    await page.getByLabel('Require STARTTLS').uncheck();
    await page.getByLabel('Sender address').fill('notify@example.com');
    await add(page, 'smtp-main');
    await page.getByLabel('Sender name').fill('Harrow Goods');
    await page.getByRole('link', { name: 'Queues' }).click();
    await page.getByText('Not saved: Sender name.').waitFor();
    await button(page, 'Keep editing').click();
    await button(page, 'Save').click();
    await page.getByText('Saved.').waitFor();
    await button(page, 'Pause').click();
    await page.getByText('paused').first().waitFor();
    await button(page, 'Resume').click();
    await button(page, 'Remove').click();
    await button(page, 'Remove integration').click();
    await page.getByText('smtp-main').first().waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  testInBrowser('after saving, only the last characters of Slack’s secret are shown', async () => {
    const { page } = await openAt('integrations/new');
    const { credentials } = dashboard.simulated.channels['slack']!;
    await page.getByRole('radio', { name: /Slack/ }).check({ force: true });
    await page.getByLabel('Bot token').fill(String(credentials['access_token']));
    await add(page, 'slack-bot');
    expect(await page.getByLabel('Bot token').getAttribute('placeholder')).toContain('ated');
    expect(await page.getByLabel('Bot token').getAttribute('type')).toBe('password');
    await page.getByText('last changed just now').waitFor();
    expect(await page.content()).not.toContain(String(credentials['access_token']));
  });

  testInBrowser('Twilio’s form names the wrong field, and accepts the right value', async () => {
    const { page } = await openAt('integrations/new');
    const { credentials } = dashboard.simulated.channels['sms']!;
    await page.getByRole('radio', { name: /Twilio sms/ }).check({ force: true });
    await page.getByLabel('Name', { exact: true }).fill('twilio-eu');
    await page.getByLabel('Sender', { exact: true }).fill('+15005550009');
    await page.getByLabel('Account SID').fill(`SK${'0'.repeat(32)}`);
    await page.getByLabel('Auth token').fill(String(credentials['auth_token']));
    await button(page, 'Test connection').click();
    await page.getByText('Account SID does not look right. AC').waitFor();
    await page.getByLabel('Account SID').fill(String(credentials['account_sid']));
    await add(page, 'twilio-eu');
  });
});

describe('an event', () => {
  /** Reads the curl command and its key, as the copy button copies them. */
  async function copyCurl(page: Page): Promise<string> {
    await page.getByText('The same call from a backend').click();
    await button(page, 'Insert API key').click();
    await page.getByLabel('Your password').fill(password);
    await button(page, 'Show key').click();
    await page.getByText('AuthKey bk_').waitFor();
    await button(page, 'Copy curl').click();
    return page.evaluate('navigator.clipboard.readText()');
  }

  /** Opens a row of the log, and reads the provider's call and answer. */
  async function readCall(page: Page, row: ReturnType<Page['locator']>): Promise<string> {
    await row.getByRole('link').click();
    await page.getByRole('button', { name: /^slack.*sent/ }).click();
    await page.getByText(/Attempt 1: accepted/).waitFor();
    const timeline = page.getByRole('tabpanel', { name: 'Timeline' });
    return (await timeline.locator('ol').textContent()) ?? '';
  }

  testInBrowser(
    'is created from scratch and sent by the shown curl command; the log shows both',
    async () => {
      const { page, problems } = await openAt('events');
      await button(page, 'Create event').first().click();
      await page.getByLabel('Name').fill('order_shipped');
      await page.getByRole('dialog').getByRole('button', { name: 'Create event' }).click();
      await page.getByRole('heading', { name: 'Choose a channel' }).waitFor();
      await button(page, 'slack').click();
      for (const channel of ['sms', 'in_app']) {
        await page.getByLabel('Add channel').selectOption(channel);
      }
      await page.getByLabel('Title').fill('Order {{order.id}}');
      await page.getByRole('tab', { name: /^sms/ }).click();
      await button(page, 'Remove twilio-eu').waitFor();
      await page.getByRole('textbox', { name: 'Text template' }).click();
      await page.keyboard.insertText('Order {{order.id}} is on its way');
      await page.getByRole('tab', { name: /^slack/ }).click();
      const code = page.getByRole('textbox', { name: 'Text template' });
      await code.click();
      await page.keyboard.insertText('Hello\nOrder {{#if order.id}} is late');
      await page.getByRole('list', { name: 'Problems' }).getByText(/^2:/).waitFor();
      expect(await page.locator('.cm-lintRange').count()).toBeGreaterThan(0);
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText('Order {{order.id}} is on its way');
      const preview = page.getByRole('region', { name: 'Preview' }).getByRole('figure');
      await preview
        .filter({ hasText: /^slack/ })
        .getByText('is on its way')
        .waitFor();

      // A call before publishing is refused, and the gateway caches that no version is live.
      const call = { event: 'order_shipped', user: { email: 'a@example.com' } };
      expect((await dashboard.system.send(dashboard.tenant, call)).status).not.toBe(200);

      // Publishing while the draft saves itself must not be mistaken for a change by another person.
      await page.route('**/draft', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, slowSaveMs));
        await route.continue();
      });
      const saving = page.waitForRequest('**/draft');
      await page.getByRole('tab', { name: /^in_app/ }).click();
      await page.getByLabel('Title').fill('Order {{order.id}} shipped');
      await saving;
      await button(page, 'Review and publish').click();
      await button(page, 'Publish').click();
      await page.getByText(/^v\d+ live$/).waitFor();
      const atOnce = { ...call, user: { user_id: 'u_20391' } };
      expect((await dashboard.system.send(dashboard.tenant, atOnce)).status).toBe(200);

      await button(page, 'Test send').click();
      await page
        .getByRole('textbox', { name: 'Recipient' })
        .fill(JSON.stringify({ slack: { channel_id: 'C0555010142' } }));
      await button(page, 'Live').click();
      await button(page, 'Send test').click();
      await button(page, 'Send live').click();
      await page.getByText('Accepted.').waitFor();
      const messages = page.getByRole('list', { name: 'Messages of the test' });
      await messages.getByText('sent', { exact: true }).waitFor();
      const curl = await copyCurl(page);
      const { stdout } = await run('bash', ['-c', curl]);
      const { request_id: requestId, success } = JSON.parse(stdout);
      expect(success).toBe(true);

      await button(page, 'Close').last().click();
      await page.goto(appUrl('log?channel=slack&event=order_shipped'));
      const rows = page.locator('tbody tr');
      const callText = await readCall(
        page,
        rows.filter({ has: page.locator(`[href*="${requestId}"]`) }),
      );
      expect(callText).toMatch(/chat\.postMessage.*C0555010142.*"ok": true/s);
      const tested = await readCall(page, rows.filter({ hasText: 'test' }));
      expect(tested).toMatch(/chat\.postMessage.*C0555010142.*"ok": true/s);
      expect(dashboard.simulated.channels['slack']!.countSends()).toBe(2);
      expect(problems).toEqual([]);
    },
  );

  describe('a template of an e-mail', () => {
    const text = '<h1>Hello {{name}}</h1>\n<p>Bye</p>';

    async function openTemplate() {
      const email = channelVersion({ subject: 'Hello', html: text });
      const event = await dashboard.system.factories.createEvent(dashboard.tenant, { email });
      const { page, problems } = await openAt(`events/${event.eventId}`);
      const code = page.getByRole('textbox', { name: 'HTML template' });
      const tag = code.locator('.tg').first();
      await tag.waitFor();
      await code.click();
      const cdp = await page.context().newCDPSession(page);
      return { page, problems, code, tag, cdp };
    }

    testInBrowser('is typed over without a style that the policy forbids', async () => {
      const { page, problems, code, tag, cdp } = await openTemplate();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('{{#if name}}');
      expect(await code.textContent()).toBe('{{#if name}}');
      await page.getByText('Values of email cannot be read').waitFor();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('<p>{{name}}</p>');
      await page.getByText('1 value', { exact: true }).waitFor();
      await tag.waitFor();
      await page.keyboard.press('Control+A');
      // An input method composes a character.
      await cdp.send('Input.imeSetComposition', { text: 'k', selectionStart: 1, selectionEnd: 1 });
      await cdp.send('Input.insertText', { text: 'か' });
      await eventually(async () => expect(await code.textContent()).toBe('か'));
      expect(problems).toEqual([]);
    });

    testInBrowser('is so large on a touch screen that a phone does not zoom into it', async () => {
      const { page, cdp } = await openTemplate();
      const readSize = () => page.evaluate('getComputedStyle(document.activeElement).fontSize');
      expect(await readSize()).toBe('12.5px');
      await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true });
      expect(await readSize()).toBe('16px');
      await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: false });
    });
  });

  testInBrowser('two operators cannot silently overwrite each other', async () => {
    const { eventId } = await dashboard.system.factories.createEvent(dashboard.tenant, {});
    const [mine, theirs] = [home, await dashboard.openPage(home)];
    for (const { page } of [mine, theirs]) {
      await page.goto(appUrl(`events/${eventId}`));
      await page.getByLabel('Fail the message if a value is missing').waitFor();
    }
    // A background tab does not refetch, so it does not know the other operator's change.
    await mine.page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: 'hidden' })`,
    );
    await theirs.page.getByLabel('Sensitive, such as').check();
    await theirs.page.getByText(/^.*Saved .* by /).waitFor();
    await mine.page.getByLabel('Fail the message if a value is missing').check();
    await mine.page.getByText('saved this draft').waitFor();
    await button(mine.page, 'Discard my changes').click();
    await eventually(async () =>
      expect(await mine.page.getByLabel('Sensitive, such as').isChecked()).toBe(true),
    );
    expect(await mine.page.getByLabel('Fail the message if a value is missing').isChecked()).toBe(
      false,
    );
  });

  testInBrowser('is deleted by typing its name', async () => {
    const event = await dashboard.system.factories.createEvent(dashboard.tenant, {});
    const { page } = await openAt(`events/${event.eventId}`);
    await button(page, 'Delete event').click();
    await page.getByLabel('Event name').fill(event.name);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete event' }).click();
    await page.getByRole('heading', { name: 'Events', exact: true }).waitFor();
    await page.getByRole('link', { name: event.name }).waitFor({ state: 'detached' });
  });
});
