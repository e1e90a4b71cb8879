import { writeIntegrationResults } from '@belfry/database';
import { channelVersion, createSlackSimulator, type SlackSimulator } from '@belfry/testing';
import { definition, slackBot } from './change-calls.fixture';
import {
  createStoredDashboard,
  type Neighbour,
  type StoredDashboard,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;
let slack: SlackSimulator;

beforeAll(async () => {
  slack = await createSlackSimulator();
  dashboard = await createStoredDashboard({ SLACK_API_URL: slack.url });
});

afterAll(async () => {
  await dashboard.close();
  await slack.close();
});

/** Status and text of each item, by its title. */
async function readList({ call, tenant }: Neighbour) {
  const { body } = await call('get', `apps/${tenant.appId}/going-live`);
  const items: { title: string; status: string; text: string }[] = body.items;
  return Object.fromEntries(items.map((item) => [item.title, item]));
}

async function createSlackEvent({ call, tenant }: Neighbour) {
  const { body } = await call('post', `apps/${tenant.appId}/integrations`, slackBot());
  const text = channelVersion({ text: 'Hello' });
  const channels = { slack: { ...text, integrationIds: [body.id] } };
  await dashboard.factories.createEvent(tenant, channels, { name: 'deploy' });
  return { id: String(body.id), name: String(body.name) };
}

describe('the checklist for live delivery', () => {
  test('names what is missing: a key, the gateway and a published event', async () => {
    const neighbour = await dashboard.createNeighbour();
    await dashboard.database.lookUps.query(
      'UPDATE api_key SET revoked_at = now() WHERE account_id = $1',
      [neighbour.tenant.accountId],
    );
    await neighbour.call('patch', `apps/${neighbour.tenant.appId}`, { openInboxCounters: true });
    expect(await readList(neighbour)).toMatchObject({
      'API key': { status: 'missing', fix: { page: 'keys' } },
      Gateway: { status: 'missing', text: expect.stringContaining('http://127.0.0.1:9') },
      'Inbox counters': { status: 'warning' },
      Events: { status: 'missing', fix: { page: 'events' } },
    });
  });

  test('names each live event and channel without an integration', async () => {
    const neighbour = await dashboard.createNeighbour();
    const { eventId } = await dashboard.factories.createEvent(
      neighbour.tenant,
      { ...definition.channels, in_app: channelVersion({ title: 'Hello', body: 'Hello' }) },
      { name: 'order' },
    );
    await dashboard.factories.createDraft(neighbour.tenant, 'draft');
    const list = await readList(neighbour);
    expect(list).toMatchObject({
      'API key': { status: 'warning' },
      'order, email': { status: 'missing', fix: { page: 'events', id: eventId } },
      'order, in_app': { status: 'ok' },
    });
    expect(list).not.toHaveProperty('Events');
  });

  test('warns of an integration until it passes a test, and again when its credentials change', async () => {
    const neighbour = await dashboard.createNeighbour();
    const { id, name } = await createSlackEvent(neighbour);
    const at = `apps/${neighbour.tenant.appId}/integrations/${id}`;
    const title = 'deploy, slack';
    const fix = { page: 'integrations', id };
    expect((await readList(neighbour))[title]).toMatchObject({ status: 'warning', fix });
    expect((await neighbour.call('post', `${at}/test`)).body.isWorking).toBe(true);
    const text = `Sends through ${name}.`;
    expect((await readList(neighbour))[title]).toMatchObject({ status: 'ok', text });
    const { updatedAt } = (await neighbour.call('get', at)).body;
    const renamed = await neighbour.call('put', at, { updatedAt, name: 'renamed' });
    expect((await readList(neighbour))[title]).toMatchObject({ status: 'ok' });
    const credentials = { access_token: 'xoxb-simulated-token-new' };
    const { updatedAt: renamedAt } = renamed.body;
    await neighbour.call('put', at, { updatedAt: renamedAt, credentials });
    expect((await readList(neighbour))[title]).toMatchObject({ status: 'warning', fix });
    await neighbour.call('post', `${at}/test`);
    await neighbour.call('post', `${at}/pause`);
    const paused = { status: 'warning', text: expect.stringContaining('is paused') };
    expect((await readList(neighbour))[title]).toMatchObject({ ...paused, fix });
  });

  test('accepts an integration that has sent a message', async () => {
    const neighbour = await dashboard.createNeighbour();
    const { id } = await createSlackEvent(neighbour);
    const at = `apps/${neighbour.tenant.appId}/integrations/${id}`;
    const updatedAt = new Date((await neighbour.call('get', at)).body.updatedAt);
    const result = { succeeded: 1, failed: 0, failuresInRow: 0, successMsAgo: 0 };
    const none = { failureMsAgo: undefined, error: undefined, circuitOpenMs: undefined };
    await writeIntegrationResults(dashboard.database.delivery, [
      { integrationId: id, updatedAt, ...result, ...none },
    ]);
    expect((await readList(neighbour))['deploy, slack']).toMatchObject({ status: 'ok' });
  });
});

test('an app goes live only with its name', async () => {
  const { call, tenant } = await dashboard.createNeighbour();
  const at = `apps/${tenant.appId}`;
  for (const confirmName of [undefined, 'Test', 'test app']) {
    const { status, body } = await call('patch', at, {
      delivery: 'live',
      name: 'New',
      confirmName,
    });
    expect([status, body.code]).toEqual([409, 'needs_confirmation']);
  }
  const [app] = (await call('get', 'apps')).body.apps;
  expect(app).toMatchObject({ name: 'Test app', delivery: 'sandbox' });
  const live = await call('patch', at, { delivery: 'live', confirmName: 'Test app' });
  expect(live.body).toMatchObject({ delivery: 'live' });
  expect((await call('patch', at, { delivery: 'live', name: 'New' })).status).toBe(200);
  expect((await call('patch', at, { delivery: 'sandbox' })).body).toMatchObject({
    delivery: 'sandbox',
  });
});
