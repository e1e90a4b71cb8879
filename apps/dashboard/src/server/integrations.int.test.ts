import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:net';
import { writeIntegrationResults, writeMailSignature } from '@belfry/database';
import { newId, readBounceAddress } from '@belfry/runtime';
import {
  channelVersion,
  createSlackSimulator,
  createSmtpSimulator,
  findClosedPort,
  type SlackSimulator,
  testSecrets,
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
    const rule = { kind: 'circuit_open', params: {}, integrationId: integration.id };
    expect((await call('post', `apps/${tenant.appId}/alerts`, rule)).status).toBe(200);
    const response = await call('delete', at, {});
    expect(response.body.code).toBe('needs_confirmation');
    expect(response.body.error).toContain(event.name);
    expect(response.body.error).toContain('Alert rules that watch it or send by it: 1.');
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

test('a mail server that may sign itself gets a test mail, and the integration shows what came back until it changes', async () => {
  const server = await createSmtpSimulator();
  const at = `apps/${dashboard.tenant.appId}/integrations`;
  const settings = {
    host: '127.0.0.1',
    port: server.port,
    require_tls: false,
    from: { address: 'shop@example.com' },
    bounce_domain: 'bounces.example.com',
  };
  const form = { name: 'bounces', channel: 'email', provider: 'smtp', settings };
  const { body: created } = await dashboard.call('post', at, form);
  const { id, updatedAt } = created;
  const first = await dashboard.call('post', `${at}/${id}/test`);
  expect(first.body).toMatchObject({ isWorking: true });
  const [to = ''] = server.sends[0]?.to ?? [];
  expect(readBounceAddress(testSecrets(), to)).toEqual({ testedIntegrationId: id });
  const signature = 'Test mail: the mail server signs.';
  await writeMailSignature(dashboard.database.lookUps, { integrationId: id, signature });
  const read = async () => (await dashboard.call('get', `${at}/${id}`)).body.mailSignature;
  expect([created.mailSignature, await read()]).toEqual([null, signature]);
  const second = await dashboard.call('post', `${at}/${id}/test`);
  expect(second.body.detail).toContain(signature);
  await dashboard.call('put', `${at}/${id}`, { updatedAt, settings: { ...settings, port: 9 } });
  expect(await read()).toBeNull();
  await server.close();
});

describe('an integration that signs mails with DKIM', () => {
  const settings = {
    host: 'mail.example.com',
    port: 587,
    from: { address: 'shop@example.com' },
    dkim_domain: 'example.com',
    dkim_selector: 'belfry',
  };
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

  async function save(name: string, key: string) {
    const at = `apps/${dashboard.tenant.appId}/integrations`;
    const form = { name, channel: 'email', provider: 'smtp', settings };
    const answer = await dashboard.call('post', at, {
      ...form,
      credentials: { dkim_private_key: key },
    });
    return { at: `${at}/${answer.body.id}`, ...answer };
  }

  test('shows the DNS record of its key, and no part of the key', async () => {
    const { at, status, body } = await save('signed', pem);
    expect(status).toBe(200);
    const value = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const dnsRecord = {
      name: 'belfry._domainkey.example.com',
      value: `v=DKIM1; k=rsa; p=${value}`,
    };
    const stored = await dashboard.call('get', at);
    expect([body.dnsRecord, stored.body.dnsRecord]).toEqual([dnsRecord, dnsRecord]);
    expect(stored.body.credentials.dkim_private_key).toMatchObject({ last4: '', value: null });
    expect(JSON.stringify(stored.body)).not.toContain(pem.split('\n')[1]);
    const { updatedAt } = stored.body;
    const { dkim_domain, dkim_selector, ...unsigned } = settings;
    const off = await dashboard.call('put', at, { updatedAt, settings: unsigned });
    expect([off.status, off.body.dnsRecord]).toEqual([200, null]);
  });

  test('is refused with a wrong key, which the error does not contain', async () => {
    const { status, body } = await save('wrong key', 'not-a-key-7Qd2');
    expect([status, body.fields]).toEqual([
      422,
      [
        {
          path: 'credentials.dkim_private_key',
          problem: 'must be a private key in PEM format, with its lines BEGIN and END',
        },
      ],
    ]);
    expect(JSON.stringify(body)).not.toContain('7Qd2');
  });
});

describe('an integration of web push', () => {
  const settings = { subject: 'mailto:push@example.com' };
  const form = { channel: 'push', provider: 'web_push', settings };

  async function createApp(): Promise<string> {
    const { body } = await dashboard.call('post', 'apps', { name: `Web push ${newId()}` });
    return `apps/${body.id}/integrations`;
  }

  async function createWebPush(more: object = {}) {
    const at = await createApp();
    const { status, body } = await dashboard.call('post', at, { ...form, name: 'web', ...more });
    expect([status, body.fields]).toEqual([200, undefined]);
    return { at: `${at}/${body.id}`, list: at, integration: body };
  }

  const readPublicKey = (integration: { credentials: Record<string, { value: string | null }> }) =>
    integration.credentials['public_key']?.value;

  test('gets its keys from Belfry; editors read the public key, and nobody the private one', async () => {
    const { at, integration } = await createWebPush();
    expect(integration).toMatchObject({
      problems: [],
      credentials: {
        public_key: { value: expect.stringMatching(/^B[\w-]{86}$/), changedAt: expect.any(Number) },
        private_key: { value: null, last4: '' },
      },
    });
    const { body } = await dashboard.call('get', at);
    expect(readPublicKey(body)).toBe(readPublicKey(integration));
  });

  test('keeps its keys when its contact changes', async () => {
    const { at, integration } = await createWebPush();
    const { body } = await dashboard.call('put', at, {
      updatedAt: integration.updatedAt,
      settings: { subject: 'https://shop.example.com/contact' },
    });
    expect(body.settings).toEqual({ subject: 'https://shop.example.com/contact' });
    expect(readPublicKey(body)).toBe(readPublicKey(integration));
  });

  test('gets new keys when they are removed, with an entry in the audit', async () => {
    const { at, integration } = await createWebPush();
    const { status, body } = await dashboard.call('put', at, {
      updatedAt: integration.updatedAt,
      credentials: { public_key: null, private_key: null },
    });
    expect([status, body.problems]).toEqual([200, []]);
    expect(readPublicKey(body)).toMatch(/^B[\w-]{86}$/);
    expect(readPublicKey(body)).not.toBe(readPublicKey(integration));
    const { body: audit } = await dashboard.call('get', 'audit');
    expect(audit.entries[0]).toMatchObject({
      action: 'integration.changed',
      subject: integration.id,
      change: { entered_credentials: ['public_key', 'private_key'] },
    });
    expect(JSON.stringify(audit)).not.toContain(String(readPublicKey(body)));
  });

  test('takes the keys of another sender, if they are a pair', async () => {
    const other = (await createWebPush()).integration;
    const keys = { public_key: readPublicKey(other), private_key: 'A'.repeat(43) };
    const wrong = { ...form, name: 'web', credentials: keys };
    const { status, body } = await dashboard.call('post', await createApp(), wrong);
    expect([status, body.fields]).toEqual([
      422,
      [
        {
          path: 'credentials.private_key',
          problem: 'is not a private key of the curve P-256',
        },
      ],
    ]);
    const half = { ...wrong, credentials: { public_key: keys.public_key } };
    expect((await dashboard.call('post', await createApp(), half)).body.fields).toMatchObject([
      { path: 'credentials.private_key' },
    ]);
    const { credentials } = await createWebPush({
      credentials: {
        public_key:
          'BNvLP_swI0KBo3RU243SwjSA92rPAP2OhL0NbRcR7748sMhZfgk84GBioVCKKTz65NNrrIx4WiS2qxuV7YmMyyU',
        private_key: 'uvcl4jifu-_KrVD552A5C_M64aclIqfouJrvY_YjEO0',
      },
    }).then(({ integration }) => integration);
    expect(credentials.public_key.value).toMatch(/^BNvLP_/);
  });

  test('is the only one of its app, until it is removed', async () => {
    const { list, at } = await createWebPush();
    const second = await dashboard.call('post', list, { ...form, name: 'second' });
    expect([second.status, second.body]).toMatchObject([
      409,
      { code: 'name_taken', fields: [{ path: 'provider' }] },
    ]);
    expect((await dashboard.call('delete', at, { confirm: true })).status).toBe(200);
    expect((await dashboard.call('post', list, { ...form, name: 'second' })).status).toBe(200);
  });

  test.each([
    [{}, 'settings.subject'],
    [{ subject: 'push@example.com' }, 'settings.subject'],
    [{ subject: 'mailto:push@localhost' }, 'settings.subject'],
  ])('is refused with the contact %j', async (own, path) => {
    const body = { ...form, name: 'web', settings: own };
    const answer = await dashboard.call('post', await createApp(), body);
    expect([answer.status, answer.body.fields]).toMatchObject([422, [{ path }]]);
  });

  test('is tested without a call, before it is saved and after', async () => {
    const { at, list } = await createWebPush();
    const unsaved = await dashboard.call('post', `${list}/test`, { ...form, credentials: {} });
    const saved = await dashboard.call('post', `${at}/test`);
    for (const { body } of [unsaved, saved]) {
      expect(body).toMatchObject({
        isWorking: true,
        detail: expect.stringContaining('No push service was called'),
      });
    }
  });
});
