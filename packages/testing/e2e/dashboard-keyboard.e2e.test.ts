import { channelVersion, chromiumPath } from '@belfry/testing';
import type { Page } from 'playwright-core';
import {
  type OpenDashboard,
  openDashboard,
  password,
  setUp,
  testInBrowser,
  type WatchedPage,
} from './dashboard/open-dashboard';
import { phone, wide } from './dashboard/pictures';
import { expectFocus, pressEnterOn, tabTo } from './dashboard/use-keyboard';

// The renderer needs many seconds when tests share two cores.
jest.setTimeout(240_000);

const email = 'kai@example.com';
const bounced = 'sandbox+bounce@example.com';
const settledMs = 60_000;

let dashboard: OpenDashboard;
let home: WatchedPage;
/** The requests, newest first: one that failed between two that were sent. */
let requestIds: string[];

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  dashboard = await openDashboard({ delivery: 'sandbox' });
  home = await dashboard.openPage();
  await setUp(home, await dashboard.createSetUpLink(), email);
  requestIds = await fill();
});

afterEach(() => dashboard?.closeOtherPages(home));
afterAll(() => dashboard?.close());

async function fill(): Promise<string[]> {
  const { system, tenant } = dashboard;
  const { factories, database } = system;
  const channels = {
    email: channelVersion({ subject: 'Order {{id}}', html: '<p>It is on its way.</p>' }),
  };
  const event = await factories.createEvent(tenant, channels, { name: 'order_shipped' });
  const ids: string[] = [];
  for (const target of ['ana.ruiz@example.com', bounced, 'j.weber@example.com']) {
    const call = { event: event.name, user: { email: target }, data: { id: 7 } };
    const id = await system.sendAccepted(tenant, call);
    await system.settled(id, [target === bounced ? 'failed' : 'sent'], settledMs);
    ids.unshift(id);
  }
  const { appId } = await factories.createTenant();
  const data = { accountId: tenant.accountId, name: 'Mill' };
  await database.prisma.app.update({ where: { id: appId }, data });
  return ids;
}

const appUrl = (place: string) => `${dashboard.url}apps/${dashboard.tenant.appId}/${place}`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const requests = (page: Page) => page.getByRole('region', { name: 'Requests' });
const captures = (page: Page) => page.getByRole('region', { name: 'Captured messages' });

/** Loads a page, whose URL the operator has. */
async function openAt(place: string): Promise<WatchedPage> {
  await home.page.goto(appUrl(place));
  await home.page.getByRole('navigation', { name: 'App' }).waitFor();
  return home;
}

/** Types into the field that has the focus by itself. */
async function typeInto(page: Page, name: string, text: string): Promise<void> {
  await expectFocus(field(page, name));
  await page.keyboard.type(text);
}

describe('by keyboard alone, an operator', () => {
  testInBrowser('signs in, and skips to the content', async () => {
    const { page, problems } = await dashboard.openPage();
    await page.goto(dashboard.url);
    await tabTo(field(page, 'E-mail'));
    await page.keyboard.type(email);
    await page.keyboard.press('Tab');
    await typeInto(page, 'Password', 'not this sentence');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await tabTo(field(page, 'Password'), 'Shift+Tab');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'App' }).waitFor();
    await pressEnterOn(button(page, 'Skip to content'));
    await expectFocus(page.getByRole('main'));
    await page.keyboard.press('Tab');
    await expectFocus(button(page, 'Find or jump'));
    expect(problems).toEqual([]);
  });

  testInBrowser(
    'opens a failed message from the log, reads why, resends it, and returns to its row',
    async () => {
      const { page, problems } = await openAt('log');
      const [newest = '', failed = ''] = requestIds;
      const link = requests(page).locator(`a[href*="${failed}"]`);
      await link.waitFor();
      for (const [key, opened] of [
        ['j', newest],
        ['j', failed],
        ['k', newest],
        ['j', failed],
      ] as const) {
        await page.keyboard.press(key);
        await page.waitForURL(`**/log/${opened}`);
      }
      await page.keyboard.press('Escape');
      await page.waitForURL('**/log');
      await expectFocus(link);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/log/${failed}`);
      const decisions = page.getByRole('list', { name: 'Needs a decision' });
      await decisions
        .getByText(/recipient/i)
        .first()
        .waitFor();
      await pressEnterOn(decisions.getByRole('button', { name: 'Resend email' }));
      const messages = page.getByRole('region', { name: 'Messages' }).getByRole('button');
      await messages.filter({ hasText: 'failed' }).nth(1).waitFor();
      await page.keyboard.press('Escape');
      await page.waitForURL('**/log');
      await expectFocus(link);
      expect(problems).toEqual([]);
    },
  );

  testInBrowser('filters the log, and clears the filter', async () => {
    const { page, problems } = await openAt('log');
    const links = requests(page).getByRole('link');
    await links.nth(2).waitFor();
    await page.keyboard.press('/');
    await typeInto(page, 'Find a request', bounced);
    await page.keyboard.press('Enter');
    await page.waitForURL(/recipient=sandbox/);
    await expectFocus(field(page, 'Find a request'));
    await links.nth(1).waitFor({ state: 'detached' });
    await pressEnterOn(button(page, 'Clear all'));
    await links.nth(2).waitFor();
    await tabTo(links.first());
    expect(problems).toEqual([]);
  });

  testInBrowser('jumps to another page and to another app', async () => {
    const { page, problems } = await openAt('log');
    const palette = page.getByRole('combobox', { name: 'Find or jump' });
    await pressEnterOn(button(page, 'Find or jump'));
    await expectFocus(palette);
    await page.keyboard.press('Escape');
    await expectFocus(button(page, 'Find or jump'));
    await page.keyboard.press('ControlOrMeta+k');
    await expectFocus(palette);
    await page.keyboard.type('queues');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Queues' }).waitFor();
    await expectFocus(button(page, 'Find or jump'));
    await page.keyboard.press('ControlOrMeta+k');
    await expectFocus(palette);
    await page.keyboard.type('mill');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.href.includes(dashboard.tenant.appId));
    await page.getByRole('button', { name: 'Mill' }).waitFor();
    expect(problems).toEqual([]);
  });

  testInBrowser('edits a template, saves the draft and publishes it', async () => {
    const { page, problems } = await openAt('events');
    const link = page.getByRole('link', { name: 'order_shipped' });
    await link.waitFor();
    await page.keyboard.press('j');
    await expectFocus(link);
    await page.keyboard.press('Enter');
    const editor = page.getByRole('textbox', { name: 'HTML template' });
    await tabTo(editor);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('<p>Thank you.</p>');
    await page.keyboard.press('Control+s');
    await page.getByText(/1 change since v1.*Saved/).waitFor();
    await page.keyboard.press('Tab');
    expect(await editor.and(page.locator(':focus')).count()).toBe(0);
    await tabTo(button(page, 'Review and publish'), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await typeInto(page, 'Note', 'Thanks the customer');
    await page.keyboard.press('Escape');
    await expectFocus(button(page, 'Review and publish'));
    await page.keyboard.press('Enter');
    await expectFocus(field(page, 'Note'));
    await pressEnterOn(button(page, 'Publish'));
    await page.getByText('v2 live').waitFor();
    // The button that opened the dialog is disabled now.
    await expectFocus(button(page, 'Test send'));
    expect(problems).toEqual([]);
  });

  testInBrowser('sets up an app, tests its first event, and finds the request', async () => {
    const { page, problems } = home;
    const dialogButton = (name: string) =>
      page.getByRole('dialog').getByRole('button', { name, exact: true });
    const goTo = async (key: string, heading: string) => {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.getByRole('heading', { name: heading, exact: true }).waitFor();
    };
    await page.goto(`${dashboard.url}apps`);
    await pressEnterOn(button(page, 'Create app'));
    await expectFocus(field(page, 'Name'));
    await page.keyboard.press('Escape');
    await expectFocus(button(page, 'Create app'));
    await page.keyboard.press('Enter');
    await typeInto(page, 'Name', 'Parcels');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Parcels/ }).waitFor();

    await goTo('i', 'Integrations');
    await pressEnterOn(button(page, 'Create integration'));
    await tabTo(page.getByRole('radio').first());
    const slack = page.getByRole('radio', { name: /^Slack/ });
    while (!(await slack.isChecked())) await page.keyboard.press('ArrowDown');
    await tabTo(field(page, 'Name'));
    await page.keyboard.type('slack-bot');
    await tabTo(page.getByLabel('Bot token'));
    await page.keyboard.type('xoxb-0123456789');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'slack-bot' }).waitFor();

    await goTo('e', 'Events');
    await pressEnterOn(button(page, 'Create event').first());
    await typeInto(page, 'Name', 'parcel_late');
    await page.keyboard.press('Enter');
    await pressEnterOn(button(page, 'slack'));
    await tabTo(page.getByRole('textbox', { name: 'Text template' }));
    await page.keyboard.type('Parcel {{id}} is late');
    await page.keyboard.press('Control+s');
    await page.getByText(/Saved \d/).waitFor();
    await pressEnterOn(button(page, 'Test send'), 'Shift+Tab');
    await pressEnterOn(dialogButton('Send test'));
    const sent = page.getByRole('list', { name: 'Messages of the test' }).getByText('sent');
    await sent.waitFor();
    await page.keyboard.press('Escape');
    await expectFocus(button(page, 'Test send'));

    await goTo('l', 'Log');
    await page.keyboard.press('/');
    await typeInto(page, 'Find a request', 'parcel_late');
    await page.keyboard.press('Enter');
    await page.waitForURL(/event=parcel_late/);
    await pressEnterOn(requests(page).getByRole('link', { name: 'parcel_late' }));
    await page.getByRole('button', { name: /^slack.*sent/ }).waitFor();
    expect(problems).toEqual([]);
  });

  testInBrowser('creates an API key, and revokes it', async () => {
    const { page, problems } = home;
    await page.goto(`${dashboard.url}keys`);
    await pressEnterOn(button(page, 'Create API key'));
    await typeInto(page, 'Name', 'Shop backend');
    await tabTo(field(page, 'Your password'));
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    const row = page.getByRole('row', { name: /Shop backend.*active/ });
    await pressEnterOn(row.getByRole('button', { name: 'Revoke' }));
    await typeInto(page, 'Your password', password);
    await tabTo(page.getByRole('checkbox', { name: 'Revoke immediately' }));
    await page.keyboard.press('Space');
    await pressEnterOn(button(page, 'Revoke now'));
    await page.getByRole('row', { name: /Shop backend.*revoked/ }).waitFor();
    expect(problems).toEqual([]);
  });
});

describe('on a phone, where a pane replaces its list', () => {
  beforeEach(() => home?.page.setViewportSize(phone));
  afterEach(() => home?.page.setViewportSize(wide));

  testInBrowser('the heading of an opened request has the focus, then its row again', async () => {
    const { page } = await openAt('log');
    const link = requests(page).locator(`a[href*="${requestIds[1]}"]`);
    await pressEnterOn(link);
    await expectFocus(page.getByRole('heading', { name: 'order_shipped' }));
    await pressEnterOn(button(page, 'Close request'));
    await expectFocus(link);
  });

  testInBrowser('the heading of an opened capture has the focus, then its row again', async () => {
    const { page } = await openAt('sandbox');
    // The page shows the newest capture beside its list until one is opened, on a phone hidden.
    for (const place of [0, 1]) {
      const link = captures(page).getByRole('link').nth(place);
      await pressEnterOn(link);
      await expectFocus(page.getByRole('heading', { name: 'order_shipped', level: 2 }));
      await pressEnterOn(page.getByRole('link', { name: 'Back to the list' }), 'Shift+Tab');
      await expectFocus(link);
    }
  });
});
