import { eventually } from '@belfry/testing';
import type { Page } from 'playwright-core';
import {
  email,
  executablePath,
  type OpenDashboard,
  openDashboard,
  password,
  setUp,
  signIn,
  testInBrowser,
  type WatchedPage,
} from './dashboard/open-dashboard';

// The renderer needs many seconds where two cores are shared.
jest.setTimeout(240_000);

const slowSaveMs = 3_000;

let dashboard: OpenDashboard;
let home: WatchedPage;

beforeAll(async () => {
  if (executablePath === undefined) return;
  dashboard = await openDashboard('live');
  home = await dashboard.openPage();
  await setUp(home.page, await dashboard.createSetUpLink());
});

afterAll(async () => {
  await dashboard?.close();
});

const appUrl = (place: string) => `${dashboard.url}apps/${dashboard.tenant.appId}/${place}`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** A page of the operator who is signed in already. */
async function openAt(place: string): Promise<WatchedPage> {
  const watched = await dashboard.openPage();
  await watched.page.context().addCookies(await home.page.context().cookies());
  await watched.page.goto(appUrl(place));
  return watched;
}

describe('who may come in', () => {
  testInBrowser('a set-up link works once; sign-out ends the session', async () => {
    const { page, wrong } = await dashboard.openPage();
    const link = await dashboard.createSetUpLink();
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
    expect(wrong).toEqual([]);
  });

  testInBrowser('a wrong password is refused and says so', async () => {
    const { page } = await dashboard.openPage();
    await page.goto(dashboard.url);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill('not this sentence');
    await button(page, 'Sign in').click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('navigation', { name: 'App' }).count()).toBe(0);
  });

  testInBrowser('a session that ended asks to sign in, and comes back to the page', async () => {
    const { page } = await dashboard.openPage();
    await signIn(page, appUrl('queues'));
    await page.context().clearCookies();
    await page.getByText('Your session ended').waitFor();
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'Queues' }).waitFor();
  });
});

describe('the account', () => {
  testInBrowser('the key is shown after the right password, and a second one is made', async () => {
    const { page } = await openAt('log');
    await page.goto(`${dashboard.url}keys`);
    await button(page, 'Show').first().click();
    await page.getByLabel('Your password').fill('not this sentence');
    await button(page, 'Show the key').click();
    await page.locator('.hint.bad').waitFor();
    await page.getByLabel('Your password').fill(password);
    await button(page, 'Show the key').click();
    await page.getByText(dashboard.tenant.apiKey).waitFor();
    await button(page, 'Make another key').click();
    await page.getByLabel('Your password').fill(password);
    await button(page, 'Make the key').click();
    await eventually(async () => expect(await button(page, 'Show').count()).toBe(2));
    expect(await button(page, 'Make another key').isDisabled()).toBe(true);
  });

  testInBrowser('an app is made, in sandbox delivery unless it says otherwise', async () => {
    const { page } = await openAt('log');
    await page.goto(`${dashboard.url}apps`);
    await button(page, 'Create app').first().click();
    await page.getByLabel('Name').fill('Storefront');
    await page.getByRole('dialog').getByRole('button', { name: 'Create app' }).click();
    const row = page.getByRole('row', { name: /Storefront/ });
    await row.waitFor();
    expect(await row.textContent()).toContain('sandbox');
  });
});

describe('integrations', () => {
  testInBrowser('a mail server is added, tested, changed, paused and removed', async () => {
    const { page, wrong } = await openAt('integrations/new');
    const { settings } = dashboard.simulated.channels['email']!;
    await page.getByRole('radio', { name: /SMTP/ }).check({ force: true });
    await button(page, 'Test connection').click();
    await page.getByText('This is needed.').first().waitFor();
    await page.getByLabel('Name', { exact: true }).fill('smtp-main');
    await page.getByLabel('Host').fill('127.0.0.1');
    await page.getByLabel('Port').fill(String(settings['port']));
    await page.getByLabel('Require STARTTLS').uncheck();
    await page.getByLabel('Sender’s address').fill('notify@example.com');
    await button(page, 'Test connection').click();
    await page.getByText('it works.').waitFor();
    await page.locator('.foot').getByRole('button', { name: 'Add integration' }).click();
    await page.getByRole('heading', { name: 'smtp-main' }).waitFor();
    await page.getByLabel('Sender’s name').fill('Harrow Goods');
    await button(page, 'Save').click();
    await page.getByText('Saved.').waitFor();
    await button(page, 'Pause').click();
    await page.getByText('paused').first().waitFor();
    await button(page, 'Resume').click();
    await button(page, 'Remove').click();
    await button(page, 'Remove integration').click();
    await eventually(async () => expect(await page.getByText('smtp-main').count()).toBe(0));
    expect(wrong).toEqual([]);
  });

  testInBrowser('a secret is never shown again, only how it ends', async () => {
    const { page } = await openAt('integrations/new');
    const { credentials } = dashboard.simulated.channels['slack']!;
    await page.getByRole('radio', { name: /Slack/ }).check({ force: true });
    await page.getByLabel('Name', { exact: true }).fill('slack-bot');
    await page.getByLabel('Bot token').fill(String(credentials['access_token']));
    await page.locator('.foot').getByRole('button', { name: 'Add integration' }).click();
    await page.getByRole('heading', { name: 'slack-bot' }).waitFor();
    expect(await page.getByLabel('Bot token').getAttribute('placeholder')).toContain('ated');
    expect(await page.content()).not.toContain(String(credentials['access_token']));
    await button(page, 'Test connection').click();
    await page.getByText('it works.').waitFor();
  });
});

describe('an event', () => {
  testInBrowser(
    'goes from nothing to a message that a backend sent by the shown call',
    async () => {
      const { page, wrong } = await openAt('events');
      await button(page, 'Create event').first().click();
      await page.getByLabel('Name').fill('order_shipped');
      await page.getByRole('dialog').getByRole('button', { name: 'Create event' }).click();
      for (const channel of ['sms', 'slack', 'in_app']) {
        await page.getByLabel('Add a channel').selectOption(channel);
      }
      await page.getByLabel('Title').fill('Order {{order.id}}');
      await page.getByRole('tab', { name: /^slack/ }).click();
      const code = page.getByRole('textbox', { name: 'Text template' });
      await code.click();
      await page.keyboard.type('Hello\nOrder {{#if order.id}} is late');
      await page.locator('.problems .pos').first().waitFor();
      expect(await page.locator('.cm-lintRange').count()).toBeGreaterThan(0);
      await page.keyboard.press('Control+A');
      await page.keyboard.press('Delete');
      await page.keyboard.insertText('Order {{order.id}} is on its way');
      await page.getByLabel('Add an integration to the chain').selectOption({ index: 1 });
      await page.getByRole('tab', { name: /^sms/ }).click();
      await button(page, 'Remove sms').click();
      await page.locator('.pv-sl').getByText('is on its way').waitFor();

      await button(page, 'Test send').click();
      await button(page, 'Send the test').click();
      await page.getByText('Accepted.').waitFor();
      await button(page, 'Close').last().click();

      // Publishing while the draft is saving itself must not be taken for another person's change.
      await page.route('**/draft', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, slowSaveMs));
        await route.continue();
      });
      const saving = page.waitForRequest('**/draft');
      await page.getByRole('tab', { name: /^in_app/ }).click();
      await page.getByLabel('Title').fill('Order {{order.id}} shipped');
      await saving;
      await button(page, 'Review and publish').click();
      await button(page, 'Publish, live at once').click();
      await page.getByText(/^v\d+ live$/).waitFor();
      const { status, body } = await dashboard.system.send(dashboard.tenant, {
        event: 'order_shipped',
        user: { slack: { channel_id: 'C0555010142' } },
        data: { order: { id: '88213' } },
      });
      expect(status).toBe(200);
      await page.goto(appUrl('log?channel=slack&event=order_shipped'));
      await page.locator(`a[href*="${body.request_id}"]`).click();
      await page.getByRole('button', { name: /slack.*sent/ }).waitFor();
      expect(await page.locator('.code').first().textContent()).toContain('88213');
      expect(wrong).toEqual([]);
    },
  );

  testInBrowser('two operators do not overwrite each other silently', async () => {
    const { eventId } = await dashboard.system.factories.createEvent(dashboard.tenant, {});
    const [mine, theirs] = [await openAt(`events/${eventId}`), await openAt(`events/${eventId}`)];
    for (const { page } of [mine, theirs]) {
      await page.getByLabel('A value that is missing').waitFor();
    }
    await theirs.page.getByLabel('Sensitive, such as').check();
    await theirs.page.getByText(/^.*Saved .* by /).waitFor();
    await mine.page.getByLabel('A value that is missing').check();
    await mine.page.getByText('saved this draft').waitFor();
    await button(mine.page, 'Take theirs, drop mine').click();
    await eventually(async () =>
      expect(await mine.page.getByLabel('Sensitive, such as').isChecked()).toBe(true),
    );
    expect(await mine.page.getByLabel('A value that is missing').isChecked()).toBe(false);
  });

  testInBrowser('is deleted by typing its name', async () => {
    const event = await dashboard.system.factories.createEvent(dashboard.tenant, {});
    const { page } = await openAt(`events/${event.eventId}`);
    await button(page, 'Delete event').click();
    await page.getByLabel('Name of the event').fill(event.name);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete event' }).click();
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    await eventually(async () => expect(await page.getByText(event.name).count()).toBe(0));
  });
});

describe('the log', () => {
  async function send(number: number, user: Record<string, unknown> = {}): Promise<string> {
    const { simulated, system, tenant } = dashboard;
    const event = await simulated.createEvent(system.factories, tenant, 'Hello {{name}}');
    const headers = { 'Idempotency-Key': `key-${event.name}` };
    const call = { event: event.name, user: { ...simulated.user(number), ...user } };
    const { body } = await system.send(tenant, { ...call, data: { name: 'Ana' } }, headers);
    return String(body.request_id);
  }

  testInBrowser('finds a request by each filter, and opens its timeline', async () => {
    const requestId = await send(1);
    const { page } = await openAt('log');
    const filters = [
      `requestId=${requestId}`,
      'recipient=person1%40example.org',
      'channel=email&state=sent',
      'provider=twilio',
      'last=15m',
    ];
    for (const filter of filters) {
      await page.goto(appUrl(`log?${filter}`));
      await page.locator(`a[href*="${requestId}"]`).waitFor();
    }
    await page.goto(appUrl('log?recipient=nobody%40example.org'));
    await page.getByText('No request matches').waitFor();
    await page.goto(appUrl(`log/${requestId}`));
    await page.getByRole('button', { name: /^in_app/ }).click();
    await page.getByRole('button', { name: /in_app.*delivered/ }).waitFor();
    await page.getByRole('button', { name: /^telegram/ }).click();
    await page.getByText(/Attempt 1: accepted/).waitFor();
  });

  testInBrowser(
    'shows what was retried and what was skipped, and asks before it sends again',
    async () => {
      const { simulated } = dashboard;
      simulated.channels['sms']!.putOff(1);
      const requestId = await send(2, { whatsapp_mobile: '123' });
      const { page } = await openAt(`log/${requestId}`);
      const sms = page.getByRole('button', { name: /^sms/ });
      await sms.click();
      await page.getByText(/Attempt 1: try later/).waitFor();
      await page.getByText(/Attempt 2: accepted/).waitFor();
      await page.getByRole('button', { name: /whatsapp.*skipped/ }).click();
      await page.getByText('invalid_address').first().waitFor();
      await sms.click();
      const sent = simulated.channels['sms']!.countSends();
      await button(page, 'Resend sms').click();
      await page.getByText('the person may get it twice').waitFor();
      expect(simulated.channels['sms']!.countSends()).toBe(sent);
      await button(page, 'Resend, may duplicate').click();
      await eventually(() => expect(simulated.channels['sms']!.countSends()).toBe(sent + 1));
    },
  );

  testInBrowser('shows new requests as they come, and holds them while it is paused', async () => {
    const { page } = await openAt('log');
    await button(page, 'Live').waitFor();
    const shown = await send(3);
    await page.locator(`a[href*="${shown}"]`).waitFor();
    await button(page, 'Live').click();
    const held = await send(4);
    await page.getByRole('button', { name: /1 new request/ }).waitFor();
    expect(await page.locator(`a[href*="${held}"]`).count()).toBe(0);
    await page.keyboard.press('n');
    await page.locator(`a[href*="${held}"]`).waitFor();
  });
});

describe('queues', () => {
  testInBrowser('say which channel has no worker, and pause one', async () => {
    const { page } = await openAt('queues');
    await button(page, 'Pause sms').click();
    await button(page, 'Resume sms').click();
    await button(page, 'Pause sms').waitFor();
    await dashboard.system.workers[0]!.stop('SIGKILL');
    await page.getByText('no worker').first().waitFor({ timeout: 120_000 });
    await dashboard.system.startWorker();
  });
});
