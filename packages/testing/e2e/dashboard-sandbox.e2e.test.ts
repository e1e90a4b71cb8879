import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { channelVersion, chromiumPath, eventually } from '@belfry/testing';
import type { Locator, Page } from 'playwright-core';
import {
  findA11yProblems,
  type OpenDashboard,
  openDashboard,
  setUp,
  testInBrowser,
  type WatchedPage,
} from './dashboard/open-dashboard';
import { inspectPage, wide } from './dashboard/pictures';

// The renderer needs many seconds where two cores are shared.
jest.setTimeout(240_000);

let dashboard: OpenDashboard;
let operator: WatchedPage;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  dashboard = await openDashboard({ delivery: 'sandbox' });
  operator = await dashboard.openPage();
  await setUp(operator, await dashboard.createSetUpLink(), 'ida@example.com');
  await fill();
});

afterAll(() => dashboard?.close());

const mail = `<style>
  body { margin: 0; padding: 16px 18px; font: 14px/20px Arial, sans-serif; color: #16191d; background: #fff }
  h1 { font: 700 19px/25px Georgia, serif } td { padding: 4px 0; border-bottom: 1px solid #e4e6e8 }
  .cta { display: inline-block; padding: 8px 15px; color: #fff; background: #24484b; border-radius: 4px }
  @media (prefers-color-scheme: dark) { body { color: #e8eaec; background: #14181b } .cta { background: #3c7f84 } }
</style>
<h1>Your order is on its way</h1>
<p>Hello {{user_name}},</p>
<p>order {{order.id}} left our warehouse. It should arrive on {{order.eta}}.</p>
<table width="100%">{{#each items}}<tr><td>{{name}}</td><td align="right">{{qty}} × {{price}}</td></tr>{{/each}}</table>
<p><a class="cta" href="{{order.tracking_url}}">Track the parcel</a></p>`;

const blocks = JSON.stringify([
  {
    type: 'section',
    text: { type: 'mrkdwn', text: 'Order *{{order.id}}* shipped to {{user_name}}' },
  },
  {
    type: 'section',
    fields: [
      { type: 'mrkdwn', text: '*Carrier*\n{{order.carrier}}' },
      { type: 'mrkdwn', text: '*Arrives*\n{{order.eta}}' },
    ],
  },
  {
    type: 'actions',
    elements: [{ type: 'button', text: { type: 'plain_text', text: 'Track the parcel' } }],
  },
]);

const notification = {
  title: 'Your order is on its way',
  body: 'Order {{order.id}} arrives {{order.eta}}.',
};

const shipped = {
  sms: channelVersion({
    text: 'Harrow Goods: {{user_name}}, order {{order.id}} has left our warehouse and arrives {{order.eta}}. Track it: {{order.tracking_url}}',
  }),
  email: channelVersion({
    subject: 'Your order {{order.id}} is on its way',
    html: mail,
    headers: { 'List-Unsubscribe': '<https://example.com/u/{{order.id}}>' },
    from: { name: 'Harrow Goods', address: 'orders@example.com' },
  }),
  whatsapp: channelVersion({
    text: '{{user_name}}, your order *{{order.id}}* is on its way. It arrives {{order.eta}}.\n{{order.tracking_url}}',
  }),
  slack: channelVersion({ text: 'Order {{order.id}} shipped', blocks }),
  telegram: channelVersion({
    text: '<b>Order {{order.id}} is on its way</b>\n{{order.carrier}}, arrives {{order.eta}}.\n<a href="{{order.tracking_url}}">Track the parcel</a>',
  }),
  push: channelVersion({ ...notification, data: { order: '{{order.id}}' } }),
  onesignal: channelVersion(notification),
  in_app: channelVersion(notification),
};

const ana = {
  user_id: 'u_20391',
  email: 'ana.ruiz@example.com',
  mobile: '+12025550123',
  slack: { channel_id: 'C0555010142' },
  telegram: { chat_id: '55510142' },
  fcm_tokens: ['fRk20391-pixel-8:APA91b'],
  onesignal_external_id: 'u_20391',
};
const data = {
  user_name: 'Ana',
  order: {
    id: '88213',
    carrier: 'DHL Parcel',
    eta: 'Fri 14 Nov',
    tracking_url: 'https://example.com/t/88213',
  },
  items: [
    { name: 'Oak stool', qty: 1, price: '89.00' },
    { name: 'Linen throw, flax', qty: 2, price: '34.50' },
  ],
};

/** Several requests, the one on every channel last, so that it stands first. */
async function fill(): Promise<void> {
  const { system, tenant } = dashboard;
  const create = (name: string, channels: Parameters<typeof system.factories.createEvent>[1]) =>
    system.factories.createEvent(tenant, channels, { name });
  await create('order_shipped', shipped);
  await create('otp_login', {
    sms: channelVersion({ text: '{{code}} is your Harrow Goods code. It works for 5 minutes' }),
  });
  await create('invoice_overdue', {
    email: channelVersion({
      subject: 'Invoice {{id}} is 5 days overdue',
      text: 'Invoice {{id}} waits.',
    }),
    slack: channelVersion({ text: 'Invoice {{id}} is 5 days overdue' }),
  });
  const send = (event: string, user: object, variables: object) =>
    system.sendAccepted(tenant, { event, user, data: variables });
  await send('invoice_overdue', { email: 'sandbox+bounce@example.com' }, { id: '2025-1107' });
  await send(
    'invoice_overdue',
    { email: 'billing@example.com', slack: { channel_id: 'C0FINANCE1' } },
    { id: '2025-1107' },
  );
  await send('otp_login', { mobile: '+12025550187' }, { code: '441 903 “' });
  const fullRequestId = await send('order_shipped', ana, data);
  await eventually(
    async () => {
      const messages = await system.readMessages(fullRequestId);
      expect(messages.filter(({ attempts }) => attempts > 0)).toHaveLength(8);
    },
    { timeoutMs: 60_000 },
  );
}

const place = (suffix = '') => `${dashboard.url}apps/${dashboard.tenant.appId}/sandbox${suffix}`;
const list = (page: Page) => page.getByRole('region', { name: 'Captured messages' });
const view = (page: Page) => page.getByRole('region', { name: 'Rendered' });
const getCaptureLink = (page: Page, name: string) =>
  list(page).getByRole('link', { name, exact: true });
/** The caption of a preview starts with its channel. */
const getPreviews = (scope: Page | Locator) => scope.locator('figure:has(> figcaption b)');
const getPreviewFrame = (page: Page, channel: string) =>
  getPreviews(view(page)).filter({ hasText: new RegExp(`^${channel}`) });

/** Previews have their own themes. */
async function showDarkPreviews(page: Page): Promise<void> {
  const dark = page.getByRole('button', { name: 'Dark', exact: true });
  await dark.click();
  await dark.and(page.getByRole('button', { pressed: true })).waitFor();
}

describe('the sandbox', () => {
  testInBrowser(
    'previews each capture as its channel would, in both themes, without overflow in any window',
    async () => {
      const { page, problems } = operator;
      await page.setViewportSize(wide);
      await page.goto(place());
      await getCaptureLink(page, 'email to ana.ruiz@example.com').click();
      await getPreviewFrame(page, 'sms').getByText('order 88213 has left our warehouse').waitFor();
      expect(await getPreviewFrame(page, 'slack').textContent()).toContain('3 blocks of 50');
      expect(
        await getPreviewFrame(page, 'telegram').locator('b', { hasText: 'Order 88213' }).count(),
      ).toBe(1);
      const bold = getPreviewFrame(page, 'whatsapp').locator('b');
      expect(await bold.allTextContents()).toEqual(['whatsapp', '88213']);
      expect(await getPreviewFrame(page, 'push').textContent()).toMatch(/of 4,096 bytes/);
      const frame = page.frameLocator('iframe[title="E-mail content"]');
      await frame.getByText('order 88213 left our warehouse').waitFor();
      expect(await inspectPage(page, 'sandbox')).toEqual([]);
      await showDarkPreviews(page);
      expect(await findA11yProblems(page)).toEqual([]);
      expect(problems).toEqual([]);
    },
  );

  testInBrowser('shows one mail in full: parts, widths, source and provider call', async () => {
    const { page, problems } = operator;
    await page.setViewportSize(wide);
    await page.goto(place());
    await getCaptureLink(page, 'email to ana.ruiz@example.com').click();
    await page.getByRole('tab', { name: 'email' }).click();
    await page.getByRole('button', { name: '375 px' }).click();
    const box = await page.locator('iframe[title="E-mail content"]').boundingBox();
    expect(box?.width).toBe(375);
    await page.getByRole('button', { name: 'Dark', exact: true }).click();
    const frame = page.frameLocator('iframe[title="E-mail content"]');
    await eventually(async () => {
      const ground = await frame.locator('body').evaluate(readBackground);
      expect(ground).toBe('rgb(20, 24, 27)');
    });
    expect(await inspectPage(page, 'sandbox-mail')).toEqual([]);
    await page.getByRole('button', { name: 'Headers' }).click();
    await view(page).getByText('<https://example.com/u/88213>').waitFor();
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await view(page).locator('pre', { hasText: 'Hello Ana,' }).waitFor();
    await page.getByRole('tab', { name: 'HTML source' }).click();
    await view(page).getByText('<p>Hello Ana,</p>').waitFor();
    await page.getByRole('tab', { name: 'Provider call' }).click();
    await view(page).getByText('Request to smtp').waitFor();
    expect(new URL(page.url()).searchParams.get('tab')).toBe('call');
    expect(problems).toEqual([]);
  });

  testInBrowser(
    'names the character that made a text Unicode, and previews a push on each platform',
    async () => {
      const { page } = operator;
      await page.setViewportSize(wide);
      await page.goto(`${place()}?event=otp_login`);
      await page.getByRole('tab', { name: 'sms' }).click();
      await view(page).getByText('because of “ (U+201C)').waitFor();
      expect(await getPreviewFrame(page, 'sms').locator('mark').first().textContent()).toBe('“');
      expect(await findA11yProblems(page)).toEqual([]);
      await page.goto(`${place()}?channel=push`);
      await page.getByRole('tab', { name: 'push' }).click();
      for (const platform of ['ios', 'web', 'android']) {
        const choice = page.getByRole('button', { name: platform, exact: true });
        await choice.click();
        await choice.and(page.getByRole('button', { pressed: true })).waitFor();
        expect(await findA11yProblems(page)).toEqual([]);
      }
    },
  );

  testInBrowser('shows the same previews as the log and the editor', async () => {
    const { page, problems } = operator;
    await page.setViewportSize(wide);
    await page.goto(place());
    await getCaptureLink(page, 'email to ana.ruiz@example.com').click();
    await page.getByRole('link', { name: 'Open in the log' }).click();
    await page.getByRole('tab', { name: 'Rendered' }).click();
    await getPreviews(page).nth(7).waitFor();
    expect(await inspectPage(page, 'rendered')).toEqual([]);
    await showDarkPreviews(page);
    expect(await findA11yProblems(page)).toEqual([]);
    await page.goto(`${dashboard.url}apps/${dashboard.tenant.appId}/events`);
    await page.getByRole('link', { name: 'order_shipped' }).click();
    await page.getByRole('tab', { name: /^slack/ }).click();
    const column = page.getByRole('region', { name: 'Preview' });
    await getPreviews(column)
      .filter({ hasText: /^slack/ })
      .waitFor();
    await page.getByRole('button', { name: 'All channels' }).click();
    await getPreviews(column).nth(7).waitFor();
    expect(await inspectPage(page, 'previews')).toEqual([]);
    expect(problems).toEqual([]);
  });

  testInBrowser(
    'searches by word, channel and event, and keeps the search in its URL',
    async () => {
      const { page } = operator;
      await page.goto(place());
      await getCaptureLink(page, 'email to billing@example.com').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('overdue billing');
      await getCaptureLink(page, 'email to billing@example.com').waitFor();
      await eventually(async () => expect(await list(page).getByRole('link').count()).toBe(1));
      await page.reload();
      expect(await page.getByLabel('Find captured message').inputValue()).toBe('overdue billing');
      await page.getByLabel('Find captured message').fill('nowhere at all');
      await page.getByText('No capture matches').waitFor();
      await page.getByLabel('Find captured message').fill('');
      await page.getByLabel('channel', { exact: true }).selectOption('slack');
      await eventually(async () => expect(await list(page).getByRole('link').count()).toBe(2));
      await page.getByLabel('event', { exact: true }).selectOption('invoice_overdue');
      await eventually(async () => expect(await list(page).getByRole('link').count()).toBe(1));
    },
  );

  testInBrowser(
    'shows new captures as they arrive, and holds them back while one is open',
    async () => {
      const { page } = operator;
      const { system, tenant } = dashboard;
      const send = (mobile: string) =>
        system.sendAccepted(tenant, { event: 'otp_login', user: { mobile }, data: { code: '1' } });
      await page.goto(place());
      await getCaptureLink(page, 'email to ana.ruiz@example.com').waitFor();
      await send('+12025550111');
      await getCaptureLink(page, 'sms to +12025550111').waitFor();
      await getCaptureLink(page, 'email to ana.ruiz@example.com').click();
      await page.getByRole('tab', { name: 'email' }).waitFor();
      await send('+12025550112');
      await page.getByRole('button', { name: '1 new' }).waitFor();
      expect(await getCaptureLink(page, 'sms to +12025550112').count()).toBe(0);
      await page.keyboard.press('n');
      await getCaptureLink(page, 'sms to +12025550112').waitFor();
      await page.keyboard.press('Escape');
      expect(new URL(page.url()).pathname.endsWith('/sandbox')).toBe(true);
    },
  );

  testInBrowser(
    'explains the magic recipients that fail, and shows the API call for a test',
    async () => {
      const { page } = operator;
      await page.setViewportSize(wide);
      await page.goto(place());
      await getCaptureLink(page, 'email to sandbox+bounce@example.com').waitFor();
      expect(await list(page).textContent()).toContain('rejected');
      await page.getByRole('button', { name: 'Magic recipients' }).click();
      const dialog = page.getByRole('dialog', { name: 'Magic recipients' });
      await dialog.getByText('sandbox+bounce@example.com').waitFor();
      await dialog.getByRole('button', { name: 'sms' }).click();
      await dialog.getByText('+15005550001').waitFor();
      expect(await inspectPage(page, 'magic-recipients')).toEqual([]);
      await page.keyboard.press('Escape');
      await getCaptureLink(page, 'sms to +12025550187').click();
      await page.getByRole('button', { name: 'Copy the call that waits for this message' }).click();
      const call = await page.evaluate('navigator.clipboard.readText()');
      const url = /curl '([^']+)'/.exec(String(call))?.[1] ?? '';
      const answer = await fetch(url, {
        headers: { Authorization: `AuthKey ${dashboard.tenant.apiKey}` },
      });
      expect(await answer.json()).toMatchObject({ messages: [{ to: '+12025550187' }] });
    },
  );

  testInBrowser(
    'deletes one capture, then all, shows an empty state, and writes to the audit log',
    async () => {
      const { page, problems } = operator;
      await page.setViewportSize(wide);
      await page.goto(place());
      await getCaptureLink(page, 'sms to +12025550187').click();
      await page.getByRole('button', { name: 'Delete the capture of sms' }).click();
      await eventually(async () =>
        expect(await getCaptureLink(page, 'sms to +12025550187').count()).toBe(0),
      );
      await page.getByRole('button', { name: 'Delete all' }).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await getCaptureLink(page, 'email to billing@example.com').waitFor();
      await page.getByRole('button', { name: 'Delete all' }).click();
      await page.getByRole('button', { name: 'Delete all captures' }).click();
      await page.getByRole('heading', { name: 'No captures yet' }).waitFor();
      expect(await inspectPage(page, 'sandbox-empty')).toEqual([]);
      await page.goto(`${dashboard.url}audit`);
      await page.getByText('captures.removed').waitFor();
      await page.getByText('capture.removed', { exact: true }).waitFor();
      expect(problems).toEqual([]);
    },
  );

  testInBrowser('runs no script of a mail, and loads nothing that it links', async () => {
    const { system, tenant } = dashboard;
    let loads = 0;
    const tracker = createServer((_req, res) => {
      loads += 1;
      res.end();
    }).listen(0, '127.0.0.1');
    await once(tracker, 'listening');
    // A server that listens on a port has an address with one.
    const { port } = tracker.address() as AddressInfo;
    const html = `<p id="told">as it was written</p><img src="http://127.0.0.1:${port}/open.png" alt="">
      <script>document.getElementById('told').textContent = 'a script ran'</script>`;
    const email = channelVersion({ subject: 'Tracked', html });
    await system.factories.createEvent(tenant, { email }, { name: 'tracked' });
    const user = { email: 'tracked@example.com' };
    await system.sendAccepted(tenant, { event: 'tracked', user, data: {} });
    const { page } = operator;
    await page.goto(`${place()}?event=tracked`);
    const frame = page.frameLocator('iframe[title="E-mail content"]');
    await frame.getByText('as it was written').waitFor();
    await page.getByRole('tab', { name: 'email' }).click();
    await frame.getByText('as it was written').waitFor();
    expect(loads).toBe(0);
    tracker.close();
  });

  testInBrowser('shows a message of one channel when a request has several', async () => {
    const { page } = operator;
    await page.setViewportSize(wide);
    await dashboard.system.sendAccepted(dashboard.tenant, {
      event: 'otp_login',
      user: { mobile: '+12025550188' },
      data: { code: '1' },
    });
    await page.goto(place());
    await getCaptureLink(page, 'sms to +12025550188').click();
    const panel = view(page).getByRole('tabpanel');
    const gallery = await panel.locator('> div').boundingBox();
    expect(gallery).toEqual(await panel.boundingBox());
    const only = await getPreviewFrame(page, 'sms').boundingBox();
    expect((only?.y ?? Number.NaN) - (gallery?.y ?? Number.NaN)).toBeLessThan(40);
  });

  testInBrowser('lets a viewer read captures but not delete them', async () => {
    const { page } = operator;
    const { prisma } = dashboard.system.database;
    const where = { accountId: dashboard.tenant.accountId };
    await dashboard.system.sendAccepted(dashboard.tenant, {
      event: 'otp_login',
      user: { mobile: '+12025550187' },
      data: { code: '1' },
    });
    await prisma.operator.updateMany({ where, data: { role: 'viewer' } });
    await page.goto(place());
    await getCaptureLink(page, 'sms to +12025550187').waitFor();
    expect(await page.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
  });
});

function readBackground(element: unknown): string {
  // Runs in the page.
  const style = Reflect.apply(Reflect.get(globalThis, 'getComputedStyle'), globalThis, [element]);
  return String(Reflect.get(Object(style), 'backgroundColor'));
}
