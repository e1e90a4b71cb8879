import { channelVersion, createSlackSimulator, type SlackSimulator } from '@belfry/testing';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

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

const token = 'xoxb-simulated-token-7Qd2';

function slackBot(name: string) {
  return {
    name,
    channel: 'slack',
    provider: 'slack',
    settings: {},
    credentials: { access_token: token },
  };
}

async function create(name: string) {
  const { tenant, call } = dashboard;
  const at = `apps/${tenant.appId}/integrations`;
  const { status, body } = await call('post', at, slackBot(name));
  expect([status, body.fields]).toEqual([200, undefined]);
  return { at: `${at}/${body.id}`, made: body };
}

describe('an integration', () => {
  test('is added without code, and of its credentials only the end is shown', async () => {
    const { made, at } = await create('slack-bot');
    expect(made).toMatchObject({
      state: 'active',
      credentials: { access_token: { last4: '7Qd2' } },
    });
    const { body } = await dashboard.call('get', at);
    expect(JSON.stringify(body)).not.toContain(token);
    const twice = await dashboard.call('post', at.replace(/\/[^/]+$/, ''), slackBot('slack-bot'));
    expect(twice.body.code).toBe('name_taken');
  });

  test('is refused by its field, with what is right', async () => {
    const { tenant, call } = dashboard;
    const { status, body } = await call('post', `apps/${tenant.appId}/integrations`, {
      name: 'mail',
      channel: 'email',
      provider: 'smtp',
      settings: { host: 'mail.example.com', port: 465, from: { address: 'a@example.com' } },
      credentials: {},
    });
    expect(status).toBe(422);
    expect(body.fields).toEqual([{ path: 'settings.secure', problem: 'must be on with port 465' }]);
  });

  test('is refused with a field that its provider does not know', async () => {
    const { tenant, call } = dashboard;
    const { body } = await call('post', `apps/${tenant.appId}/integrations`, {
      ...slackBot('misspelt'),
      credentials: { acces_token: token },
    });
    expect(body.fields).toEqual([
      { path: 'credentials.acces_token', problem: 'is no field of this provider' },
    ]);
  });

  test('keeps a credential that the form leaves out, and not what somebody else saved in between', async () => {
    const { at, made } = await create('kept');
    const { updatedAt } = made;
    const renamed = await dashboard.call('put', at, {
      updatedAt,
      name: 'renamed',
      credentials: {},
    });
    expect(renamed.body).toMatchObject({
      name: 'renamed',
      credentials: { access_token: { last4: '7Qd2' } },
    });
    const late = await dashboard.call('put', at, { updatedAt, name: 'too late' });
    expect(late.body.code).toBe('draft_changed');
  });

  test('says what the provider answered to a test, and is active again when it passed', async () => {
    const { at, made } = await create('tested');
    await dashboard.database.lookUps.query(
      `UPDATE integration SET state = 'needs_attention', state_reason = 'token_revoked' WHERE id = $1`,
      [made.id],
    );
    slack.fail({ on: 'auth.test', error: 'token_revoked' });
    const failed = await dashboard.call('post', `${at}/test`);
    expect(failed.body).toMatchObject({
      isWorking: false,
      detail: expect.stringContaining('token'),
    });
    expect((await dashboard.call('get', at)).body.state).toBe('needs_attention');
    const passed = await dashboard.call('post', `${at}/test`);
    expect(passed.body).toMatchObject({ isWorking: true });
    expect((await dashboard.call('get', at)).body).toMatchObject({
      state: 'active',
      stateReason: null,
    });
  });

  test('is paused and resumed', async () => {
    const { at } = await create('held');
    expect((await dashboard.call('post', `${at}/pause`)).body.state).toBe('paused');
    expect((await dashboard.call('post', `${at}/resume`)).body.state).toBe('active');
  });

  test('says what its removal breaks before it goes', async () => {
    const { at, made } = await create('needed');
    const { tenant, factories, call } = dashboard;
    const event = await factories.createEvent(tenant, {
      slack: channelVersion({ text: 'Hello' }, { integrationIds: [made.id] }),
    });
    expect((await call('get', at)).body.usedBy).toEqual([
      { eventId: event.eventId, name: event.name, in: ['live'], isOnly: true },
    ]);
    const asked = await call('delete', at, {});
    expect(asked.body.code).toBe('needs_confirmation');
    expect(asked.body.error).toContain(event.name);
    expect((await call('delete', at, { confirm: true })).status).toBe(200);
    expect((await call('get', at)).status).toBe(404);
  });
});
