import { createServer } from 'node:net';
import { writeIntegrationResults } from '@belfry/database';
import {
  channelVersion,
  createSlackSimulator,
  findClosedPort,
  type SlackSimulator,
} from '@belfry/testing';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

let dashboard: StoredDashboard;
let slack: SlackSimulator;

beforeAll(async () => {
  slack = await createSlackSimulator();
  dashboard = await createStoredDashboard({
    SLACK_API_URL: slack.url,
    ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
  });
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
  return { at: `${at}/${body.id}`, integration: body };
}

describe('an integration', () => {
  test('is added without code and shows only the last characters of its credentials', async () => {
    const { integration, at } = await create('slack-bot');
    expect(integration).toMatchObject({
      state: 'active',
      credentials: { access_token: { last4: '7Qd2' } },
    });
    const { body } = await dashboard.call('get', at);
    expect(JSON.stringify(body)).not.toContain(token);
    const twice = await dashboard.call('post', at.replace(/\/[^/]+$/, ''), slackBot('slack-bot'));
    expect(twice.body.code).toBe('name_taken');
  });

  test('is refused with an error for each invalid field', async () => {
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

  test('may omit settings that have a default or are stored', async () => {
    const { tenant, call } = dashboard;
    const at = `apps/${tenant.appId}/integrations`;
    const place = { name: 'mail in part', channel: 'email', provider: 'smtp' };
    const settings = { host: 'mail.example.com', from: { address: 'a@example.com' } };
    const { body } = await call('post', at, { ...place, settings });
    expect(body.settings).toEqual({ ...settings, port: 587 });
    const { id, updatedAt } = body;
    const changed = await call('put', `${at}/${id}`, { updatedAt, settings: { port: 2525 } });
    expect(changed.body.settings).toEqual({ ...settings, port: 2525 });
    const response = await call('post', at, { ...place, name: 'nothing' });
    expect(response.body.fields.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining(['settings.host', 'settings.from']),
    );
  });

  test('is refused with a field that its provider does not have', async () => {
    const { tenant, call } = dashboard;
    const { body } = await call('post', `apps/${tenant.appId}/integrations`, {
      ...slackBot('misspelt'),
      credentials: { acces_token: token },
    });
    expect(body.fields).toEqual([
      { path: 'credentials.acces_token', problem: 'is not a field of this provider' },
    ]);
  });

  test('keeps omitted credentials and refuses to overwrite a newer change', async () => {
    const { at, integration } = await create('kept');
    const { updatedAt } = integration;
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

  test('knows when each credential was last entered', async () => {
    const { integration, at } = await createMailServer();
    const readTimes = (body: typeof integration) =>
      ['user', 'pass'].map((name): number => body.credentials[name].changedAt);
    const [userAt, passAt] = readTimes(integration);
    expect(userAt).toBe(integration.createdAt);
    expect(passAt).toBe(userAt);
    const save = (updatedAt: number, credentials: object) =>
      dashboard.call('put', `${at}/${integration.id}`, { updatedAt, credentials });
    const kept = await save(integration.updatedAt, { pass: '' });
    expect(readTimes(kept.body)).toEqual([userAt, passAt]);
    const changed = await save(kept.body.updatedAt, { pass: 'another sentence' });
    expect(readTimes(changed.body)).toEqual([userAt, expect.any(Number)]);
    expect(readTimes(changed.body)[1]).toBeGreaterThan(passAt ?? 0);
  });

  test('returns the provider response of a test, and a passed test reactivates it', async () => {
    const { at, integration } = await create('tested');
    await dashboard.database.lookUps.query(
      `UPDATE integration SET state = 'needs_attention', state_reason = 'token_revoked' WHERE id = $1`,
      [integration.id],
    );
    slack.fail({ on: 'auth.test', error: 'token_revoked' });
    const failed = await dashboard.call('post', `${at}/test`);
    expect(failed.body).toMatchObject({
      isWorking: false,
      detail: expect.stringContaining('token'),
    });
    const refused = { lastSuccessAt: null, lastError: failed.body.detail, failuresInRow: 1 };
    expect((await dashboard.call('get', at)).body).toMatchObject({
      state: 'needs_attention',
      health: { verdict: 'needs_attention', ...refused },
    });
    const passed = await dashboard.call('post', `${at}/test`);
    expect(passed.body).toMatchObject({ isWorking: true });
    expect((await dashboard.call('get', at)).body).toMatchObject({
      state: 'active',
      stateReason: null,
      health: { verdict: 'healthy', lastSuccessAt: expect.any(Number), failuresInRow: 0 },
    });
  });

  test('is untested, then red with host and port here and on Queues when nothing answers', async () => {
    const port = await findClosedPort();
    const { tenant, call } = dashboard;
    const mail = await call('post', `apps/${tenant.appId}/integrations`, {
      name: 'dead-mail',
      channel: 'email',
      provider: 'smtp',
      settings: { host: '127.0.0.1', port, from: { address: 'a@example.com' } },
    });
    const { health: unused, id, updatedAt } = mail.body;
    expect(unused).toMatchObject({ verdict: 'untested', succeeded: 0, failed: 0 });
    const tested = await call('post', `apps/${tenant.appId}/integrations/${id}/test`);
    expect(tested.body.detail).toBe(`127.0.0.1:${port} refused the connection.`);
    await writeIntegrationResults(dashboard.database.delivery, [
      {
        ...{ integrationId: id, updatedAt: new Date(updatedAt), succeeded: 2, failed: 5 },
        ...{
          failuresInRow: 5,
          successMsAgo: 1_000,
          failureMsAgo: 0,
          error: tested.body.detail,
          circuitOpenMs: undefined,
        },
      },
    ]);
    const health = {
      ...{ verdict: 'failing', lastError: tested.body.detail, lastFailureAt: expect.any(Number) },
      ...{ lastSuccessAt: expect.any(Number), failuresInRow: 5, succeeded: 2, failed: 5 },
    };
    const list = await call('get', `apps/${tenant.appId}/integrations`);
    expect(list.body.integrations).toContainEqual(
      expect.objectContaining({ id, health: expect.objectContaining(health) }),
    );
    const queues = await call('get', `queues?app=${tenant.appId}`);
    expect(queues.body.integrations).toContainEqual(
      expect.objectContaining({ id, health: expect.objectContaining(health) }),
    );
  });

  test('is paused and resumed, and shows who paused it and when', async () => {
    const { at } = await create('held');
    const paused = await dashboard.call('post', `${at}/pause`);
    expect(paused.body).toMatchObject({
      state: 'paused',
      health: {
        verdict: 'paused',
        pausedAt: expect.any(Number),
        pausedBy: expect.stringContaining('@example.com'),
      },
    });
    const resumed = await dashboard.call('post', `${at}/resume`);
    expect(resumed.body).toMatchObject({
      state: 'active',
      health: { verdict: 'untested', pausedAt: null, pausedBy: null },
    });
  });

  test('lists the consequences of its removal before it is removed', async () => {
    const { at, integration } = await create('needed');
    const { tenant, factories, call } = dashboard;
    const event = await factories.createEvent(tenant, {
      slack: channelVersion({ text: 'Hello' }, { integrationIds: [integration.id] }),
    });
    expect((await call('get', at)).body.usedBy).toEqual([
      { eventId: event.eventId, name: event.name, in: ['live'], isOnly: true },
    ]);
    const response = await call('delete', at, {});
    expect(response.body.code).toBe('needs_confirmation');
    expect(response.body.error).toContain(event.name);
    expect((await call('delete', at, { confirm: true })).status).toBe(200);
    expect((await call('get', at)).status).toBe(404);
  });
});

const smtpPassword = 'correct horse battery staple';
const smtpSettings = {
  host: '127.0.0.1',
  // No server listens on this port.
  port: 9,
  require_tls: true,
  from: { address: 'a@example.com' },
};

async function createMailServer() {
  const { tenant, call } = dashboard;
  const at = `apps/${tenant.appId}/integrations`;
  const { body } = await call('post', at, {
    name: `mail ${Math.random()}`,
    channel: 'email',
    provider: 'smtp',
    settings: smtpSettings,
    credentials: { user: 'ana', pass: smtpPassword },
  });
  return { at, integration: body };
}

/** A malicious server that records what it receives. */
async function listenForSecrets() {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 thief.example ESMTP\r\n');
    socket.on('data', (bytes) => {
      received.push(String(bytes));
      if (/^QUIT/i.test(String(bytes))) socket.end('221 bye\r\n');
      else socket.write(/^EHLO/i.test(String(bytes)) ? '250 AUTH PLAIN LOGIN\r\n' : '535 no\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { port, received, close: () => new Promise((resolve) => server.close(resolve)) };
}

describe('a stored credential', () => {
  test('is not sent to the host of a form, which must contain its own', async () => {
    const { at, integration } = await createMailServer();
    const thief = await listenForSecrets();
    const place = { port: thief.port, require_tls: false };
    const form = {
      id: integration.id,
      channel: 'email',
      provider: 'smtp',
      settings: { ...smtpSettings, ...place },
      credentials: {},
    };
    const problem = expect.stringMatching(
      /^must be entered again, .* changed: Port, Require STARTTLS$/,
    );
    const fields = ['user', 'pass'].map((name) => ({ path: `credentials.${name}`, problem }));
    const tested = await dashboard.call('post', `${at}/test`, form);
    expect([tested.status, tested.body.fields]).toEqual([422, fields]);
    const { settings } = form;
    const change = { updatedAt: integration.updatedAt, settings };
    const saved = await dashboard.call('put', `${at}/${integration.id}`, change);
    expect([saved.status, saved.body.fields]).toEqual([422, fields]);
    expect((await dashboard.call('get', `${at}/${integration.id}`)).body).toEqual(integration);
    expect(thief.received).toEqual([]);
    const credentials = { user: 'ana', pass: 'a guess' };
    const own = await dashboard.call('post', `${at}/test`, { ...form, credentials });
    expect(own.body.isWorking).toBe(false);
    expect(thief.received.join()).toContain('AUTH');
    await thief.close();
  });

  test.each([
    ['another provider', { channel: 'slack', provider: 'slack', settings: {} }],
    ['another channel', { channel: 'sms', provider: 'twilio', settings: { sender: '+15550100' } }],
  ])('is not used for %s through the id of its integration', async (_what, form) => {
    const { at, integration } = await createMailServer();
    const body = { ...form, id: integration.id, credentials: {} };
    expect((await dashboard.call('post', `${at}/test`, body)).status).toBe(404);
  });

  test('is not used by another app or another account', async () => {
    const { integration } = await createMailServer();
    const neighbour = await dashboard.createNeighbour();
    const { body: app } = await dashboard.call('post', 'apps', { name: 'Second' });
    const form = { id: integration.id, channel: 'email', provider: 'smtp', settings: smtpSettings };
    const test = { ...form, credentials: {} };
    const second = await dashboard.call('post', `apps/${app.id}/integrations/test`, test);
    const place = `apps/${neighbour.tenant.appId}/integrations/test`;
    expect([second.status, (await neighbour.call('post', place, test)).status]).toEqual([404, 404]);
  });

  test('is recorded in the audit with each test: operator and destination', async () => {
    const { at, integration } = await createMailServer();
    await dashboard.call('post', `${at}/${integration.id}/test`);
    const { body } = await dashboard.call('get', 'audit');
    expect(body.entries[0]).toMatchObject({
      action: 'integration.tested',
      subject: integration.id,
      operator: dashboard.email,
      change: { settings: { host: '127.0.0.1', port: 9, require_tls: true } },
    });
    expect(JSON.stringify(body)).not.toContain(smtpPassword);
  });

  test('shows nothing to a viewer, and never a part of a password', async () => {
    const viewer = await dashboard.createNeighbour();
    const at = `apps/${viewer.tenant.appId}/integrations`;
    const { body: bot } = await viewer.call('post', at, slackBot('bot'));
    expect(bot.credentials).toMatchObject({ access_token: { last4: '7Qd2', value: null } });
    await dashboard.database.lookUps.query(`UPDATE operator SET role = 'viewer' WHERE email = $1`, [
      viewer.email,
    ]);
    const hidden = { access_token: { last4: '', value: null } };
    expect((await viewer.call('get', at)).body.integrations).toMatchObject([
      { credentials: hidden },
    ]);
    expect((await viewer.call('get', `${at}/${bot.id}`)).body.credentials).toMatchObject(hidden);
    const { integration } = await createMailServer();
    expect(integration.credentials.pass).toMatchObject({ last4: '', value: null });
  });
});
