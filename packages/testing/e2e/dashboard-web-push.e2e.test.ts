import { channelVersion, chromiumPath, eventually } from '@belfry/testing';
import {
  type OpenDashboard,
  openDashboard,
  setUp,
  testInBrowser,
  type WatchedPage,
} from './dashboard/open-dashboard';
import { inspectPage } from './dashboard/pictures';

// The renderer needs many seconds where two cores are shared.
jest.setTimeout(240_000);

const sendTimeoutMs = 60_000;

let dashboard: OpenDashboard;
let operator: WatchedPage;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  dashboard = await openDashboard({ delivery: 'live' });
  operator = await dashboard.openPage();
  await setUp(operator, await dashboard.createSetUpLink(), 'pia@example.com');
});

afterAll(() => dashboard?.close());

/** Calls the gateway as a backend does. */
async function post(path: string, body: object): Promise<void> {
  const { system, tenant } = dashboard;
  const response = await fetch(`${system.apiUrl}/v1/apps/${tenant.appId}${path}`, {
    method: 'POST',
    headers: { Authorization: `AuthKey ${tenant.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

/** Sends the event to the user, and returns the state of each of the user's subscriptions by its endpoint. */
async function send(event: string, userId: string): Promise<Record<string, string>> {
  const { system, tenant } = dashboard;
  const requestId = await system.sendAccepted(tenant, { event, user: { user_id: userId } });
  return eventually(
    async () => {
      const messages = await system.readMessages(requestId);
      const states = messages.map(({ target, state, reason }) => [
        target,
        [state, reason].filter(Boolean).join(' '),
      ]);
      expect(states.length).toBeGreaterThan(0);
      expect(states.flat().filter((text) => /queued|sending/.test(text ?? ''))).toEqual([]);
      return Object.fromEntries(states) as Record<string, string>;
    },
    { timeoutMs: sendTimeoutMs },
  );
}

testInBrowser(
  'an integration of web push gets new keys after a warning: they are shown, stored, and sign the next push',
  async () => {
    const { page, problems } = operator;
    const { system, tenant, simulated } = dashboard;
    await page.goto(`${dashboard.url}apps/${tenant.appId}/integrations/new`);
    await page.getByRole('radio', { name: /Web push/ }).check({ force: true });
    await page.getByLabel('Name', { exact: true }).fill('browsers');
    await page.getByLabel('Contact').fill('mailto:ops@example.com');
    await page.locator('form').getByRole('button', { name: 'Create integration' }).click();
    const publicKey = page.getByLabel('Public key', { exact: true });
    await page.getByRole('button', { name: 'Make new keys' }).waitFor();
    const oldKey = await publicKey.inputValue();
    expect(oldKey).toMatch(/^[\w-]{87}$/);
    const { id } = await system.database.prisma.integration.findFirstOrThrow({
      where: { appId: tenant.appId, name: 'browsers' },
    });
    const template = channelVersion({ title: 'Hi', body: 'B' }, { integrationIds: [id] });
    const { name: event } = await system.factories.createEvent(tenant, { push: template });
    await post('/users', { user_id: 'ana' });
    const { webPush } = simulated.simulators;
    const before = webPush.subscribe(oldKey);
    await post('/users/ana/devices', { push_subscription: before });
    expect(await send(event, 'ana')).toEqual({ [before.endpoint]: 'sent' });

    await page.getByRole('button', { name: 'Make new keys' }).click();
    const dialog = page.getByRole('dialog', { name: 'Make new keys' });
    await dialog.getByText(/gets no push until its page subscribes again/).waitFor();
    expect(await inspectPage(page, 'new-keys')).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await publicKey.inputValue()).toBe(oldKey);
    await page.getByRole('button', { name: 'Make new keys' }).click();
    await dialog.getByRole('button', { name: 'Make new keys' }).click();
    await dialog.waitFor({ state: 'detached' });
    const newKey = await eventually(async () => {
      const shown = await publicKey.inputValue();
      expect(shown).toMatch(/^[\w-]{87}$/);
      expect(shown).not.toBe(oldKey);
      return shown;
    });
    await page.reload();
    expect(await publicKey.inputValue()).toBe(newKey);

    // Only a push that is signed with the shown key reaches a browser that is subscribed with it.
    const after = webPush.subscribe(newKey);
    await post('/users/ana/devices', { push_subscription: after });
    const states = await send(event, 'ana');
    expect(states[after.endpoint]).toBe('sent');
    expect(states[before.endpoint]).toMatch(/^(failed|skipped)/);
    expect(problems).toEqual([]);
  },
);
