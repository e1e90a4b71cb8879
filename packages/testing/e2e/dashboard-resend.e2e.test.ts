import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { newId } from '@belfry/runtime';
import { channelVersion, chromiumPath, testKeyRing } from '@belfry/testing';
import type { Page } from 'playwright-core';
import {
  type OpenDashboard,
  openDashboard,
  setUp,
  signIn,
  testInBrowser,
  type WatchedPage,
} from './dashboard/open-dashboard';
import { inspectPage } from './dashboard/pictures';

// The renderer needs many seconds when tests share two cores.
jest.setTimeout(240_000);

const run = promisify(execFile);
const settledMs = 60_000;

const bounced = 4;
const ownerEmail = 'ida@example.com';
const viewerEmail = 'vera@example.com';

let dashboard: OpenDashboard;
let owner: WatchedPage;
let viewer: WatchedPage;
let failed: string[];

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  dashboard = await openDashboard({ delivery: 'sandbox' });
  owner = await dashboard.openPage();
  await setUp(owner, await dashboard.createSetUpLink(), ownerEmail);
  await addViewer();
  viewer = await dashboard.openPage();
  await signIn(viewer.page, dashboard.url, viewerEmail);
  failed = await fill();
});

afterAll(async () => {
  await dashboard?.close();
});

/** Signs in with the owner’s password. */
async function addViewer(): Promise<void> {
  const { prisma } = dashboard.system.database;
  const {
    id: _,
    createdAt: __,
    ...same
  } = await prisma.operator.findFirstOrThrow({
    where: { email: ownerEmail },
  });
  await prisma.operator.create({
    data: { ...same, id: newId(), email: viewerEmail, role: 'viewer' },
  });
}

/** Sends messages on two channels: the sandbox refuses some, two arrive. Returns the IDs of the failed ones. */
async function fill(): Promise<string[]> {
  const { system, tenant } = dashboard;
  const event = await system.factories.createEvent(
    tenant,
    {
      sms: channelVersion({ text: 'Order {{id}} has left our warehouse.' }),
      email: channelVersion({ subject: 'Order {{id}}', html: '<p>It is on its way.</p>' }),
    },
    { name: 'order_shipped' },
  );
  const ids: string[] = [];
  for (let index = 0; index < bounced; index += 1) {
    const user = { email: `sandbox+bounce@example${index}.com`, mobile: '+15005550001' };
    ids.push(await system.sendAccepted(tenant, { event: event.name, user, data: { id: index } }));
  }
  for (const email of ['ana.ruiz@example.com', 'j.weber@example.com']) {
    const user = { email };
    const id = await system.sendAccepted(tenant, { event: event.name, user, data: { id: 7 } });
    await system.settled(id, ['sent'], settledMs);
  }
  for (const id of ids) await system.settled(id, ['failed', 'failed'], settledMs);
  return ids;
}

const appUrl = (place: string) => `${dashboard.url}apps/${dashboard.tenant.appId}/${place}`;
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true });

const requestLinks = (page: Page) =>
  page.getByRole('region', { name: 'Requests' }).getByRole('link');

async function countMessages(): Promise<number> {
  const { appId } = dashboard.tenant;
  return dashboard.system.database.prisma.message.count({ where: { appId } });
}

describe('resending all messages that match a filter', () => {
  testInBrowser('counts, confirms, resends each once, and shows the results', async () => {
    const { page, problems } = owner;
    const before = await countMessages();
    await page.goto(appUrl('log'));
    await requestLinks(page).first().waitFor();
    expect(await button(page, 'Resend all…').count()).toBe(0);
    await page.getByLabel('event', { exact: true }).selectOption('order_shipped');
    await button(page, 'Resend all…').click();
    const dialog = page.getByRole('dialog', { name: 'Resend all matching messages' });
    await dialog.getByText('2 messages may arrive twice.').waitFor();
    expect(await inspectPage(owner.page, 'resend')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByLabel('state', { exact: true }).selectOption('failed');
    await button(page, 'Resend all…').click();
    await dialog.getByText(`${2 * bounced} messages`, { exact: true }).waitFor();
    expect(await dialog.textContent()).not.toContain('twice');
    expect(await countMessages()).toBe(before);
    await dialog.getByLabel('Rate').selectOption('200');
    await dialog.getByRole('button', { name: `Resend ${2 * bounced} messages` }).click();
    await page.getByRole('heading', { name: `Resend of ${2 * bounced} messages` }).waitFor();
    const detail = page.getByRole('region', { name: 'Resend', exact: true });
    await detail.getByText(`${2 * bounced} resent`).waitFor();
    await detail.getByText('finished', { exact: true }).waitFor();
    await detail.getByLabel('Current states').getByText(`failed ${bounced}`).nth(1).waitFor();
    expect(await countMessages()).toBe(before + 2 * bounced);
    expect(await inspectPage(owner.page, 'resends')).toEqual([]);
    await detail.getByRole('table', { name: 'Messages' }).getByRole('link').first().click();
    const again = page.getByRole('button', { name: /^email.*failed/ });
    await again.nth(1).click();
    await page.getByText('Resend run').waitFor();
    expect(problems).toEqual([]);
  });

  testInBrowser('can be cancelled, and shows how many were not resent', async () => {
    const { page } = owner;
    await page.goto(appUrl('queues?do=pause'));
    await page.getByRole('dialog').getByRole('button', { name: 'Pause all sending' }).click();
    await page.getByText('Sending of Test app is paused').waitFor();
    const before = await countMessages();
    await page.goto(appUrl('log?state=failed&do=resend'));
    await page.getByRole('button', { name: /^Resend \d+ messages/ }).click();
    await page.getByText('including this resend').waitFor();
    await button(page, `Cancel remaining ${2 * bounced}`).click();
    await page.getByText(`${2 * bounced} cancelled`, { exact: true }).waitFor();
    expect(await countMessages()).toBe(before);
    await button(page, 'Resume all sending').click();
    await page.getByText('Sending of Test app is paused').waitFor({ state: 'detached' });
  });
});

describe('pausing all sending', () => {
  testInBrowser('shows a notice on every page, holds new messages, and loses none', async () => {
    const { system, tenant } = dashboard;
    const { page } = owner;
    await page.goto(appUrl('queues'));
    await button(page, 'Pause all sending').click();
    await page.getByText('Workers make no new provider calls').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause all sending' }).click();
    await page.getByText('Sending of Test app is paused').waitFor();
    expect(await inspectPage(owner.page, 'paused')).toEqual([]);
    const user = { email: 'held@example.com' };
    const requestId = await system.sendAccepted(tenant, { event: 'order_shipped', user, data: {} });
    await viewer.page.goto(appUrl(`log/${requestId}`));
    await viewer.page.getByText('Sending of Test app is paused').waitFor();
    await viewer.page.getByText('Its app, channel or integration is paused.').first().waitFor();
    expect(await button(viewer.page, 'Resume all sending').count()).toBe(0);
    const [message] = await system.readMessages(requestId);
    expect(message).toMatchObject({ state: 'queued', attempts: 0 });
    await button(page, 'Resume all sending').click();
    await system.settled(requestId, ['sent'], settledMs);
    const { page: audit } = owner;
    await audit.goto(`${dashboard.url}audit`);
    await audit.getByText('sending.paused').first().waitFor();
    await audit.getByText('sending.resumed').first().waitFor();
  });
});

describe('the queues', () => {
  testInBrowser('show messages per second and latency', async () => {
    const { page } = owner;
    // Its window of 30 s must have passed; nothing is measured here.
    await dashboard.system.database.prisma.$executeRaw`
      UPDATE delivery_count SET at = at - interval '30 seconds'`;
    await page.goto(appUrl('queues'));
    const row = page.getByRole('row', { name: /^email/ });
    await row.getByText(/^peak [\d.]+/).waitFor();
    await expect(row.getByText(/^peak 0\.0\b/).count()).resolves.toBe(0);
    await page.getByText('Acceptance to provider, p50').waitFor();
    expect(await inspectPage(owner.page, 'queues-rates')).toEqual([]);
  });
});

describe('the explanation of a request', () => {
  testInBrowser('equals the output of the command word for word', async () => {
    const { page } = owner;
    const requestId = failed[0] ?? '';
    await page.goto(appUrl(`log/${requestId}`));
    await page.getByRole('tab', { name: 'Explain' }).click();
    const explanation = page.getByRole('tabpanel', { name: 'Explain' }).locator('pre');
    await explanation.waitFor();
    const env = {
      PATH: process.env['PATH'],
      DATABASE_URL: dashboard.system.databaseUrl,
      BELFRY_KEYS: testKeyRing,
    };
    const args = ['apps/cli/dist/main.js', 'doctor', requestId];
    const { stdout } = await run(process.execPath, args, { env, timeout: 60_000 });
    expect(stdout).toContain(`Request ${requestId} was accepted`);
    expect(`${await explanation.textContent()}\n`).toBe(stdout);
    expect(await inspectPage(owner.page, 'explain')).toEqual([]);
  });
});

describe('the palette and the keyboard shortcuts', () => {
  const palette = (page: Page) => page.getByRole('combobox', { name: 'Find or jump' });
  const offered = (page: Page) => page.getByRole('option');

  async function openPalette(page: Page, text: string): Promise<void> {
    await page.keyboard.press('Control+k');
    await palette(page).fill(text);
  }

  testInBrowser('find a message by its ID, an address, a page and an action', async () => {
    const { page } = owner;
    await page.goto(appUrl('log'));
    await requestLinks(page).first().waitFor();
    const [message] = await dashboard.system.readMessages(failed[1] ?? '');
    await openPalette(page, message?.id ?? '');
    await offered(page).filter({ hasText: 'message, Test app' }).waitFor();
    expect(await inspectPage(owner.page, 'palette')).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`log/${failed[1]}`));
    await openPalette(page, 'ana.ruiz@example.com');
    await offered(page).filter({ hasText: 'recipient, in the log' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/recipient=ana\.ruiz/);
    await openPalette(page, 'resends');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/resends$/);
    await openPalette(page, 'nothing is called so');
    await page.getByText('No results.').waitFor();
    await palette(page).fill('pause all');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: /^Pause all sending of/ }).waitFor();
    await page.keyboard.press('Escape');
  });

  testInBrowser('offer a viewer no action that changes anything', async () => {
    const { page } = viewer;
    await page.goto(appUrl('log?state=failed'));
    await requestLinks(page).first().waitFor();
    expect(await button(page, 'Resend all…').count()).toBe(0);
    await openPalette(page, 'sending');
    await page.getByText('No results.').waitFor();
    await palette(page).fill('theme');
    await offered(page).filter({ hasText: 'Theme: dark' }).waitFor();
    await page.keyboard.press('Escape');
    const api = new URL(`api/apps/${dashboard.tenant.appId}`, dashboard.url).href;
    const statuses = await page.evaluate(async (at) => {
      const filters = { filters: { state: 'failed' }, confirmed: 1, perSecond: 50 };
      const calls = [
        ['resends', filters],
        ['pause', {}],
        ['resume', {}],
      ] as const;
      const answers = calls.map(([place, body]) =>
        fetch(`${at}/${place}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        }),
      );
      return (await Promise.all(answers)).map(({ status }) => status);
    }, api);
    expect(statuses).toEqual([403, 403, 403]);
  });

  testInBrowser('open each page, step through the rows, and are all listed by ?', async () => {
    const { page } = owner;
    await page.goto(appUrl('log'));
    await requestLinks(page).first().waitFor();
    for (const [key, place] of [
      ['e', 'events'],
      ['i', 'integrations'],
      ['q', 'queues'],
      ['l', 'log'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.waitForURL(new RegExp(`/${place}$`));
    }
    await requestLinks(page).first().waitFor();
    await page.keyboard.press('j');
    await page.waitForURL(/log\/[0-9a-f-]{36}/);
    const opened = page.url().split('/').at(-1) ?? '';
    await page.locator('tr[aria-current="true"]').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(/\/log$/);
    await page.locator(`a:focus[href*="${opened}"]`).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('no key here');
    await page.keyboard.press('Escape');
    await page.goto(appUrl('events'));
    await page.getByRole('link', { name: 'order_shipped' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/events\/[0-9a-f-]{36}/);
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Pause or resume the live tail').waitFor();
    expect(await inspectPage(owner.page, 'keys-help')).toEqual([]);
    await page.keyboard.press('Escape');
  });
});
