import { channelVersion, chromiumPath } from '@belfry/testing';
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

const email = 'vera@example.com';

let dashboard: OpenDashboard;
let home: WatchedPage;
let event: { name: string; eventId: string; versionId: string };
let requestId: string;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  dashboard = await openDashboard({ delivery: 'sandbox' });
  home = await dashboard.openPage();
  await setUp(home, await dashboard.createSetUpLink(), email);
  event = await dashboard.system.factories.createEvent(dashboard.tenant, buildChannels(texts[0]), {
    name: 'order_shipped',
  });
  for (const data of [{ user_name: 'Ana', order: { id: 1 } }, { user_name: 'Ben' }, {}]) {
    const sent = await dashboard.system.send(dashboard.tenant, {
      event: event.name,
      user: { email: 'ana.ruiz@example.com', mobile: '+12025550123' },
      data,
    });
    requestId = String(sent.body.request_id);
  }
  await publish(texts[1], 'Carrier and tracking, as asked for by support');
  await publish(texts[2], 'Shorter');
});

afterEach(() => dashboard?.closeOtherPages(home));
afterAll(() => dashboard?.close());

const buildHtmlLines = (greeting: string, middle: string[]) =>
  [
    `<h1>Your order is on its way</h1>`,
    `<p>${greeting} {{user_name}},</p>`,
    '<p>it left our warehouse today.</p>',
    '<h2>What is in it</h2>',
    '<table>',
    '  <tr><th>Article</th><th>Pieces</th></tr>',
    '{{#each items}}',
    '  <tr><td>{{name}}</td><td>{{qty}}</td></tr>',
    '{{/each}}',
    '</table>',
    '<p>You have 30 days to send it back.</p>',
    ...middle,
    '<p>Harrow Goods, 12 Quay Street</p>',
  ].join('\n');

const carrier = '<p>It comes with {{order.carrier}}: <a href="{{order.url}}">track it</a>.</p>';

const texts = [
  {
    sms: 'Harrow Goods: {{user_name}}, order {{order.id}} has left our warehouse.',
    subject: 'Your order {{order.id}}',
    html: buildHtmlLines('Hello', []),
  },
  {
    sms: 'Harrow Goods: {{user_name}}, order {{order.id}} is on its way. Track it: {{order.url}}',
    subject: 'Your order {{order.id}} is on its way',
    html: buildHtmlLines('Hello', [carrier]),
  },
  {
    sms: 'Harrow Goods: order {{order.id}} is on its way: {{order.url}}',
    subject: 'Your order {{order.id}} is on its way',
    html: buildHtmlLines('Dear', [carrier, '<p>Questions? Answer this mail.</p>']),
  },
] as const satisfies Text[];

type Text = Record<'sms' | 'subject' | 'html', string>;

function buildChannels({ sms, subject, html }: Text) {
  return { sms: channelVersion({ text: sms }), email: channelVersion({ subject, html }) };
}

const api = (place: string) => `${dashboard.url}api/apps/${dashboard.tenant.appId}/${place}`;
const appUrl = (place: string) => `${dashboard.url}apps/${dashboard.tenant.appId}/${place}`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Calls the server as another operator would, without the page. */
async function call(method: 'get' | 'post' | 'put', place: string, data?: object) {
  const headers = { Origin: new URL(dashboard.url).origin };
  const answer = await home.page
    .context()
    .request[method](api(place), { headers, ...(data && { data }) });
  expect(answer.status()).toBe(200);
  return answer.json();
}

async function publish(text: Text, note: string) {
  const definition = {
    defaultLocale: 'en',
    missing: 'empty',
    isSensitive: false,
    channels: buildChannels(text),
  };
  const at = `events/${event.eventId}`;
  const { draft } = await call('get', at);
  const saved = await call('put', `${at}/draft`, { basedOn: draft.revision, definition });
  await call('post', `${at}/publish`, { basedOn: saved.revision, note });
}

/** Shows a page to the operator who has signed in. */
async function openAt(place: string): Promise<WatchedPage> {
  await home.page.goto(appUrl(place));
  return home;
}

describe('the versions of an event', () => {
  testInBrowser(
    'are listed with time, author and note, and compared channel by channel',
    async () => {
      const { page, problems } = await openAt(`events/${event.eventId}`);
      await page.getByRole('link', { name: 'Versions' }).click();
      const list = page.getByRole('region', { name: 'Versions' });
      const row = (name: string) => list.getByRole('row', { name: new RegExp(`^${name}`) });
      await row('v3 live').waitFor();
      expect(await row('v2').textContent()).toMatch(/vera@example\.com.*support/);
      expect(await row('v1').textContent()).toContain('the command line');
      const detail = page.getByRole('region', { name: 'Version', exact: true });
      await detail.getByText('Published').waitFor();
      const sms = detail.getByRole('table', { name: 'sms en text' });
      expect(await sms.locator('del').allTextContents()).toContain('{{user_name}}, ');
      const html = detail.getByRole('table', { name: 'email en html' });
      expect(await html.locator('ins').allTextContents()).toEqual(['Dear']);
      expect(
        await html
          .getByRole('cell', { name: /^Added: / })
          .last()
          .textContent(),
      ).toBe('+Added: <p>Questions? Answer this mail.</p>');
      await html.getByRole('button', { name: /^Show \d+ unchanged lines/ }).click();
      await html.getByText('{{#each items}}').first().waitFor();
      expect(await inspectPage(page, 'versions')).toEqual([]);
      await page.keyboard.press('j');
      await detail.getByRole('heading', { name: 'v2' }).waitFor();
      await page.getByLabel('compared with').selectOption('v3, live');
      expect(page.url()).toContain('against=');
      await page.reload();
      await html.getByRole('cell', { name: /^Removed: .*Questions\?/ }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('tab', { name: /^email/ }).waitFor();
      expect(problems).toEqual([]);
    },
  );

  testInBrowser('are linked from each message that was rendered with them', async () => {
    const { page } = await openAt(`log/${requestId}`);
    await page.getByLabel('Rendered content').getByRole('link', { name: 'v1' }).click();
    await page.getByRole('heading', { name: 'v1' }).waitFor();
    const sms = page.getByRole('table', { name: 'sms en text' });
    await sms.getByRole('cell', { name: /^Added: / }).waitFor();
    await page.goBack();
    const timeline = page.getByRole('tabpanel', { name: 'Timeline' });
    await timeline.locator('ol').getByRole('link', { name: 'v1' }).waitFor();
  });

  testInBrowser(
    'can be rolled back as a new version; the slower of two operators is warned, and nothing is lost',
    async () => {
      const { page } = await openAt(`events/${event.eventId}?version=${event.versionId}`);
      await button(page, 'Roll back to v1').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('The draft is rolled back, too.').waitFor();
      const findText = (liveTitle: string) =>
        dialog
          .getByRole('region', { name: `Changes to ${liveTitle}` })
          .getByRole('table', { name: 'sms en text' });
      await findText('v3').waitFor();
      const missing = dialog.getByRole('list', { name: 'Missing values' });
      expect(await missing.locator('li').first().textContent()).toMatch(
        /^items missing in all of the last 3 requests · email$/,
      );
      expect(await missing.textContent()).toContain('order.id missing in 2 of the last 3 requests');
      expect(await inspectPage(page, 'roll-back')).toEqual([]);
      await publish({ ...texts[2], sms: 'Somebody was faster' }, 'Meanwhile');
      await dialog.getByLabel('Note').fill('The link was dead');
      await dialog.getByText(/^vera@example\.com published v4 at /).waitFor();
      await button(page, 'Show the change').click();
      await dialog.getByText('Requests already accepted keep v4').waitFor();
      await findText('v4').getByText('Somebody').waitFor();
      await button(page, 'Roll back').click();
      const row = page.getByRole('row', { name: /^v5 live/ });
      await row.waitFor();
      expect(await row.textContent()).toContain('rollback to v1: The link was dead');
      await page.getByRole('region', { name: 'Versions' }).getByText('Meanwhile').waitFor();
      const { live } = await call('get', `events/${event.eventId}`);
      expect(live).toMatchObject({ number: 5, rolledBackTo: 1 });
    },
  );

  testInBrowser(
    'warn before publishing about values that callers do not send, and take a note',
    async () => {
      const { page } = await openAt(`events/${event.eventId}`);
      await page.getByRole('tab', { name: /^email/ }).click();
      await page.getByLabel('Subject').fill('Order {{order.id}}, by {{order.carier}}');
      await page.getByText(/1 change since v5/).waitFor();
      await button(page, 'Review and publish').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('order.carier missing in all of the last 3 requests').waitFor();
      await dialog.getByRole('table', { name: 'email en subject' }).waitFor();
      expect(await inspectPage(page, 'publish')).toEqual([]);
      await dialog.getByLabel('Note').fill('With the carrier');
      await button(page, 'Publish').click();
      await page.getByText('v6 live').waitFor();
      await page.getByRole('link', { name: 'Versions' }).click();
      await page.getByRole('row', { name: /^v6 live.*With the carrier/ }).waitFor();
    },
  );
});

describe('saved filters', () => {
  testInBrowser(
    'can be saved, applied, found in the palette, renamed and deleted; the URL keeps the filters',
    async () => {
      const { page, problems } = await openAt('log?last=24h&channel=sms&recipient=nobody');
      await button(page, 'Save filter').focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Not saved: the recipient.').waitFor();
      await dialog.getByLabel('Name').fill('Texts of today');
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      const chip = page.getByLabel('saved', { exact: true });
      await chip.selectOption('Texts of today');
      await page.waitForURL(/log\?last=24h&channel=sms$|log\?channel=sms&last=24h$/);
      // The URL changes first.
      await button(page, 'Save filter').waitFor({ state: 'detached' });
      expect(await inspectPage(page, 'saved-filter')).toEqual([]);
      await button(page, 'Clear all').click();
      await page.keyboard.press('Control+k');
      await dialog.getByRole('combobox').fill('texts of');
      await page.getByRole('option', { name: /Texts of today.*saved filter/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(/channel=sms/);
      await chip.selectOption('Rename or delete…');
      await button(page, 'Rename Texts of today').click();
      await dialog.getByLabel('Name').fill('Short messages');
      await page.keyboard.press('Enter');
      expect(await inspectPage(page, 'saved-filters')).toEqual([]);
      await button(page, 'Delete Short messages').click();
      await button(page, 'Delete for everyone').click();
      await dialog.getByText('No saved filters yet').waitFor();
      await page.keyboard.press('Escape');
      await chip.waitFor({ state: 'detached' });
      await button(page, 'Save filter').waitFor();
      expect(page.url()).toMatch(/channel=sms/);
      expect(problems).toEqual([]);
    },
  );
});

describe('a viewer', () => {
  testInBrowser('can read versions, and has no button that changes them', async () => {
    await dashboard.system.database.prisma.operator.updateMany({
      where: { email },
      data: { role: 'viewer' },
    });
    const { page } = await openAt(`events/${event.eventId}?version=${event.versionId}`);
    await page.getByRole('heading', { name: 'v1' }).waitFor();
    await page.getByLabel('compared with').waitFor();
    expect(await page.getByRole('button', { name: /Roll back|draft/ }).count()).toBe(0);
    await page.goto(appUrl('log?state=sent'));
    await button(page, 'Clear all').waitFor();
    expect(await button(page, 'Save filter').count()).toBe(0);
  });
});
