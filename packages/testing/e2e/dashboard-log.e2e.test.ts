import { channelVersion, chromiumPath, eventually, type OwnStore, ownRedis } from '@belfry/testing';
import type { Page } from 'playwright-core';
import {
  type OpenDashboard,
  openDashboard,
  setUp,
  testInBrowser,
  type WatchedPage,
} from './dashboard/open-dashboard';

// The renderer needs many seconds when tests share two cores.
jest.setTimeout(240_000);

const manyRows = process.env['TEST_FULL'] ? 10_000 : 1_000;
const badToken = 'not-a-token-of-slack-7731';

let dashboard: OpenDashboard;
let home: WatchedPage;
let redis: OwnStore;
let integrationIds: Record<string, string>;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  redis = await ownRedis();
  dashboard = await openDashboard({ delivery: 'live', redisUrl: redis.url });
  home = await dashboard.openPage();
  await setUp(home, await dashboard.createSetUpLink(), 'noor@example.com');
  integrationIds = await createIntegrations();
});

afterEach(() => dashboard?.closeOtherPages(home));
afterAll(async () => {
  await dashboard?.close();
  await redis?.remove();
});

async function createIntegrations(): Promise<Record<string, string>> {
  const { simulated, system, tenant } = dashboard;
  const ids: Record<string, string> = {};
  for (const [channel, { provider, settings, credentials }] of Object.entries(simulated.channels)) {
    const integration = { channel, provider, settings, credentials };
    ids[channel] = (await system.factories.createIntegration(tenant, integration)).id;
  }
  return ids;
}

const appUrl = (place: string) => `${dashboard.url}apps/${dashboard.tenant.appId}/${place}`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const requests = (page: Page) => page.getByRole('region', { name: 'Requests' });
const getRow = (page: Page, requestId: string) => requests(page).locator(`a[href*="${requestId}"]`);

/** Shows a page to the operator who has signed in. */
async function openAt(place: string): Promise<WatchedPage> {
  await home.page.goto(appUrl(place));
  return home;
}

/** Publishes an event on these channels and builds a call for one person. */
async function send(number: number, channels: string[], user: object = {}): Promise<string> {
  const { simulated, system, tenant } = dashboard;
  const versions = channels.map((channel) => {
    const template = simulated.channels[channel]?.template('Hello {{name}}') ?? { title: 'Hello' };
    const policy = { unknownResends: 0 };
    const chain = integrationIds[channel];
    return [channel, channelVersion(template, { integrationIds: chain ? [chain] : [], policy })];
  });
  const event = await system.factories.createEvent(tenant, Object.fromEntries(versions));
  const call = { event: event.name, user: { ...simulated.user(number), ...user } };
  const headers = { 'Idempotency-Key': `key-of-${number}` };
  const { body } = await system.send(tenant, { ...call, data: { name: 'Ana' } }, headers);
  return String(body.request_id);
}

/** Stores older requests like this one, without messages. */
async function copyRequest(requestId: string, copies: number): Promise<void> {
  await dashboard.system.database.lookUps.query(
    `WITH copy AS (
       INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items, created_at)
       SELECT ('01000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, account_id, app_id, event_id, version_id, kind,
         items, planned_items, created_at - interval '1 day'
       FROM request, generate_series(1, $2::int) n WHERE id = $1 RETURNING id)
     INSERT INTO request_item (request_id, item, recipient) SELECT id, 0, '{"user_id":"u_1"}' FROM copy`,
    [requestId, copies],
  );
}

describe('the log', () => {
  testInBrowser('finds a request by each filter, and shows each result in its place', async () => {
    const requestId = await send(1, ['sms', 'email']);
    const { page } = await openAt('log');
    const expectFound = async () => {
      await getRow(page, requestId).waitFor();
      await button(page, 'Clear all').click();
    };
    const event = await readEventName(requestId);
    const choices = { event, provider: 'twilio', time: '15m', channel: 'email' };
    for (const [filter, value] of Object.entries(choices)) {
      await page.getByLabel(filter, { exact: true }).selectOption(value);
      await expectFound();
    }
    await page.getByLabel('channel', { exact: true }).selectOption('email');
    await page.getByLabel('state', { exact: true }).selectOption('sent');
    await expectFound();
    const finder = page.getByLabel('Find a request');
    for (const text of [requestId, 'person1@example.org', 'key-of-1']) {
      await finder.fill(text);
      await finder.press('Enter');
      await expectFound();
    }
    await page.getByLabel('time', { exact: true }).selectOption('between');
    await page.getByLabel('From').fill('2020-01-01T00:00');
    await page.getByLabel('To', { exact: true }).fill('2021-01-01T00:00');
    await button(page, 'Apply').click();
    await page.getByText('No request matches').waitFor();
    await page.getByRole('button', { name: 'Remove the filter time' }).click();
    await page.getByLabel('time', { exact: true }).selectOption('between');
    await page.getByLabel('From').fill('2020-01-01T00:00');
    await button(page, 'Apply').click();
    await expectFound();
  });

  testInBrowser('has its filters on one line, and space for a recipient', async () => {
    const requestId = await send(13, ['sms']);
    const { page } = await openAt(`log/${requestId}`);
    await page.getByRole('button', { name: 'Close request' }).waitFor();
    const filters = await page.getByRole('search', { name: 'Filter the log' }).boundingBox();
    expect(filters?.height).toBeLessThan(50);
    const link = page.locator(`a[href*="${requestId}"]`);
    const row = requests(page).getByRole('row').filter({ has: link });
    const recipient = await row.getByRole('cell').nth(2).boundingBox();
    expect(recipient?.width).toBeGreaterThan(200);
  });

  testInBrowser('keeps its search and the live switch on one line beside two filters', async () => {
    const { page } = await openAt('log?channel=sms&state=sent');
    const parts = [
      page.getByLabel('Find a request'),
      button(page, 'Resend all…'),
      button(page, 'Live'),
    ];
    for (const width of [900, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      const [search, ...others] = await Promise.all(parts.map((part) => part.boundingBox()));
      for (const box of others) {
        // Below the top of the search, and above its bottom.
        expect(box!.y + box!.height).toBeGreaterThan(search!.y);
        expect(box!.y).toBeLessThan(search!.y + search!.height);
      }
    }
  });

  testInBrowser('keeps the rows of the last filter when an earlier answer comes late', async () => {
    const requestId = await send(11, ['sms']);
    const { page } = await openAt('log');
    await getRow(page, requestId).waitFor();
    let answerFirst = () => {};
    await page.route(/log\?channel=sms/, async (route) => {
      await new Promise<void>((resolve) => {
        answerFirst = resolve;
      });
      await route.continue();
    });
    const request = page.waitForRequest(/log\?channel=sms/);
    const lateResponse = page.waitForResponse(/log\?channel=sms/);
    await page.getByLabel('channel', { exact: true }).selectOption('sms');
    await request;
    await page.getByLabel('channel', { exact: true }).selectOption('push');
    await page.getByText('No request matches').waitFor();
    answerFirst();
    await (await lateResponse).finished();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    expect(await getRow(page, requestId).count()).toBe(0);
  });

  testInBrowser('shows new requests as they arrive, and holds them back while paused', async () => {
    const { page } = await openAt('log');
    await button(page, 'Live').waitFor();
    const firstId = await send(2, ['sms']);
    await getRow(page, firstId).waitFor();
    await button(page, 'Live').click();
    const pausedId = await send(3, ['sms']);
    await page.getByRole('button', { name: /1 new request/ }).waitFor();
    expect(await getRow(page, pausedId).count()).toBe(0);
    await page.keyboard.press('n');
    await getRow(page, pausedId).waitFor();
  });

  testInBrowser('draws few of thousands of rows, and scrolls through all of them', async () => {
    const requestId = await send(12, ['sms']);
    await copyRequest(requestId, manyRows);
    const { page } = await openAt('log');
    await getRow(page, requestId).waitFor();
    const list = requests(page);
    // Without an end, the number of rows is unknown: -1.
    const readOn = async () => {
      const rows = await list.evaluate((pane) => {
        pane.scrollTop = pane.scrollHeight;
        return Number(pane.querySelector('table')?.getAttribute('aria-rowcount'));
      });
      expect(rows).toBeGreaterThan(manyRows);
    };
    await eventually(readOn, { timeoutMs: 120_000, intervalMs: 20 });
    await list.evaluate((pane) => pane.scrollTo(0, pane.scrollHeight / 2));
    await page.locator(`tr[aria-rowindex="${manyRows / 2}"]`).waitFor();
    expect(await page.locator('*').count()).toBeLessThan(3_000);
  });

  testInBrowser('keeps the pane sizes after dragging', async () => {
    const requestId = await send(4, ['sms']);
    const { page } = await openAt(`log/${requestId}`);
    const divider = page.getByRole('separator');
    const readWidth = async () => Math.round((await requests(page).boundingBox())!.width);
    const before = await readWidth();
    const box = (await divider.boundingBox())!;
    await page.mouse.move(box.x + 4, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 104, box.y + 200);
    await page.mouse.up();
    expect(await readWidth()).toBe(before + 100);
    await divider.press('ArrowLeft');
    expect(await readWidth()).toBe(before + 84);
    await page.reload();
    await divider.waitFor();
    expect(await readWidth()).toBe(before + 84);
  });
});

async function readEventName(requestId: string): Promise<string> {
  const { prisma } = dashboard.system.database;
  const { eventId } = await prisma.request.findUniqueOrThrow({ where: { id: requestId } });
  return (await prisma.event.findUniqueOrThrow({ where: { id: eventId } })).name;
}

describe('the timeline', () => {
  testInBrowser(
    'shows for delivered, retried, failed, skipped and unknown messages what happened, why, and what to do',
    async () => {
      const { channels } = dashboard.simulated;
      channels['sms']!.throttle(1);
      channels['telegram']!.dropAnswers(1);
      const requestId = await send(5, ['sms', 'whatsapp', 'slack', 'telegram', 'in_app'], {
        whatsapp_mobile: '123',
        slack: { channel_id: 'C000000005', access_token: badToken },
      });
      const { page } = await openAt(`log/${requestId}`);
      const channelRow = (name: RegExp) => page.getByRole('button', { name });
      await channelRow(/^telegram.*unknown/).waitFor();
      await channelRow(/^sms.*sent/).click();
      await page.getByText(/Attempt 1: refused, will be retried/).waitFor();
      await page.getByText(/^Waited /).waitFor();
      await page.getByText(/Attempt 2: accepted/).waitFor();
      await channelRow(/^in_app.*delivered/).click();
      await page
        .getByRole('tabpanel', { name: 'Timeline' })
        .locator('ol')
        .getByText('Delivered')
        .waitFor();
      await channelRow(/^whatsapp.*skipped/).click();
      await page.getByText('invalid_address').first().waitFor();
      await channelRow(/^slack.*failed/).click();
      await page.getByText('invalid_auth').first().waitFor();
      const decisions = page.getByRole('list', { name: 'Needs a decision' });
      expect(await decisions.textContent()).toContain('correct what the provider rejects');
      await decisions.getByRole('button', { name: 'Resend slack' }).waitFor();
      await decisions.getByRole('button', { name: /^Resend \w+ anyway/ }).waitFor();
      for (const tab of ['Call and response', 'Rendered', 'JSON']) {
        await page.getByRole('tab', { name: tab }).click();
        expect(await page.content()).not.toContain(badToken);
      }
    },
  );

  testInBrowser(
    'asks for confirmation before resending a message that may have arrived',
    async () => {
      const sms = dashboard.simulated.channels['sms']!;
      const requestId = await send(6, ['sms']);
      const { page } = await openAt(`log/${requestId}`);
      await page.getByRole('button', { name: /^sms.*sent/ }).waitFor();
      const sent = sms.countSends();
      await button(page, 'Resend sms').click();
      await page.getByText('the recipient may get it twice').waitFor();
      expect(sms.countSends()).toBe(sent);
      await button(page, 'Resend anyway').click();
      await eventually(() => expect(sms.countSends()).toBe(sent + 1));
    },
  );
});

describe('queues', () => {
  testInBrowser('pause a channel; waiting messages can be cancelled or continue', async () => {
    const telegram = dashboard.simulated.channels['telegram']!;
    const sent = telegram.countSends();
    const { page } = await openAt('queues');
    await button(page, 'Pause telegram').click();
    await page.getByText(/telegram is paused/).waitFor();
    const cancelled = await send(7, ['telegram']);
    const remainingId = await send(8, ['telegram']);
    await page.getByRole('link', { name: '2 Paused', exact: true }).waitFor();
    const { page: log } = await dashboard.openPage(home);
    await log.goto(appUrl('queues'));
    await log.getByRole('link', { name: '2 paused telegram' }).click();
    await eventually(() => expect(requests(log).locator('tbody tr').count()).resolves.toBe(2));
    expect(log.url()).toContain('waits=paused&channel=telegram');
    const { page: timeline } = await dashboard.openPage(home);
    await timeline.goto(appUrl(`log/${cancelled}`));
    await button(timeline, 'Cancel telegram').click();
    await timeline.getByRole('button', { name: /^telegram.*skipped/ }).waitFor();
    await timeline.getByText('An operator cancelled it').first().waitFor();
    await button(page, 'Resume telegram').click();
    await dashboard.system.settled(remainingId, ['sent'], 60_000);
    expect(telegram.countSends()).toBe(sent + 1);
  });

  testInBrowser('show which channel has no worker, and since when', async () => {
    const { system } = dashboard;
    const { page } = await openAt('queues');
    await page.getByText('1 worker').first().waitFor();
    await system.workers[0]!.stop('SIGKILL');
    await system.database.prisma.$executeRaw`
      UPDATE worker_heartbeat SET heartbeat_at = now() - interval '5 minutes'`;
    const row = page.getByRole('row', { name: /^sms/ });
    await row.getByText('no workers').waitFor();
    await row.getByText(/^since \d\d:\d\d/).waitFor();
    await page.getByText(/No worker serves sms. Start a process with the role/).waitFor();
    await system.startWorker();
    await page.getByText('1 worker').first().waitFor();
  });
});

describe('during an outage', () => {
  /** Opens a request, tests an integration, and publishes an event. */
  async function walk(page: Page, requestId: string, eventName: string): Promise<void> {
    await page.goto(appUrl(`log/${requestId}`));
    await page.getByRole('button', { name: /^in_app/ }).waitFor();
    await page.goto(appUrl(`integrations/${integrationIds['slack']}`));
    await button(page, 'Test connection').click();
    await page.getByText(/: passed\.$/).waitFor();
    await page.goto(appUrl('events'));
    await button(page, 'Create event').first().click();
    await page.getByLabel('Name').fill(eventName);
    await page.getByRole('dialog').getByRole('button', { name: 'Create event' }).click();
    await button(page, 'in_app').click();
    await page.getByLabel('Title').fill('Hello');
    await button(page, 'Review and publish').click();
    await button(page, 'Publish').click();
    await page.getByText(/^v\d+ live$/).waitFor();
  }

  testInBrowser(
    'of Redis, all pages and changes work, and the page says that messages wait',
    async () => {
      await redis.stop();
      const requestId = await send(9, ['in_app']);
      const { page } = await openAt('queues');
      await page.getByText('every message waits in PostgreSQL').first().waitFor();
      await walk(page, requestId, 'without_redis');
      await redis.start();
      await dashboard.system.settled(requestId, ['delivered'], 60_000);
    },
  );

  testInBrowser('of the gateway, all pages and changes work', async () => {
    const requestId = await send(10, ['in_app']);
    await dashboard.system.api.stop();
    const { page } = await openAt('queues');
    await page.getByText('The gateway does not answer').first().waitFor();
    await walk(page, requestId, 'without_gateway');
  });
});
