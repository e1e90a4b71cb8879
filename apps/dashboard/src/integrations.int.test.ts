import { channelVersion, createSlackSimulator, type SlackSimulator } from '@belfry/testing';
import {
  createStoredDashboard,
  type SignedIn,
  type StoredDashboard,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;
let slack: SlackSimulator;
let me: SignedIn;

beforeAll(async () => {
  slack = await createSlackSimulator();
  dashboard = await createStoredDashboard({ SLACK_API_URL: slack.url });
});
beforeEach(async () => {
  me = await dashboard.signedIn();
});
afterAll(async () => {
  await dashboard.close();
  await slack.close();
});

const token = 'xoxb-1234567890-abcdefWXYZ';
const smtp = {
  name: 'Mail',
  channel: 'email',
  provider: 'smtp',
  settings: { host: 'mail.example.com', port: 587, from: { address: 'shop@example.com' } },
  credentials: { user: 'shop', pass: 'a long password 9876' },
};
const bot = {
  name: 'Bot',
  channel: 'slack',
  provider: 'slack',
  settings: {},
  credentials: { access_token: token },
};

function call(method: 'get' | 'post' | 'put' | 'delete', path: string, body?: object) {
  const at = { method, path: `/api/apps/${me.appId}${path}`, cookie: me.cookie };
  return dashboard.call(body ? { ...at, body } : at);
}

async function add(integration: object): Promise<string> {
  const made = await call('post', '/integrations', integration);
  expect(made.body).toMatchObject({ state: 'active' });
  return made.body.id;
}

test('every provider of the registry has a form', async () => {
  const answer = await dashboard.call({ method: 'get', path: '/api/providers', cookie: me.cookie });
  const names = answer.body.providers.map((each: { provider: string }) => each.provider);
  expect(names).toEqual(expect.arrayContaining(['smtp', 'slack', 'twilio', 'meta']));
  expect(answer.body.providers[0]).toMatchObject({
    channelLabel: 'E-mail',
    settings: { properties: { host: { title: 'Host' } } },
  });
});

describe('an integration', () => {
  test('is stored sealed, and shows the last four characters of what is secret', async () => {
    const id = await add(smtp);
    const read = await call('get', `/integrations/${id}`);
    expect(read.body).toMatchObject({
      name: 'Mail',
      settings: smtp.settings,
      credentials: { user: '', pass: '9876' },
      usedBy: [],
    });
    expect(read.text).not.toContain('a long password');
    const row = await dashboard.database.prisma.integration.findUniqueOrThrow({ where: { id } });
    expect(row.credentials).not.toContain('password');
    const audit = await dashboard.database.prisma.auditEntry.findMany({
      where: { accountId: me.accountId, subject: id },
    });
    expect(audit).toMatchObject([{ action: 'integration.create', operatorId: me.operatorId }]);
    expect(JSON.stringify(audit)).not.toContain('password');
  });

  test.each<[string, object, string]>([
    [
      'without what its schema asks for',
      { settings: { port: 25 } },
      'settings.host must not be null',
    ],
    [
      'that its provider’s check refuses',
      { settings: { ...smtp.settings, port: 465 } },
      'secure must be on with port 465',
    ],
    ['of no provider', { provider: 'pigeon' }, 'provider must be one that email has'],
    ['of no channel', { channel: 'constructor' }, 'provider must be one that constructor has'],
  ])('%s is refused with what is wrong', async (_, change, problem) => {
    const answer = await call('post', '/integrations', { ...smtp, ...change });
    expect([answer.status, answer.body.error]).toEqual([422, problem]);
    expect((await call('get', '/integrations')).body.integrations).toEqual([]);
  });

  test('has a name of its own in the app', async () => {
    await add(smtp);
    expect((await call('post', '/integrations', smtp)).body.code).toBe('name_taken');
  });

  test('keeps the credentials that a change leaves out, and loses those it empties', async () => {
    const id = await add(smtp);
    const { name, settings } = smtp;
    const kept = await call('put', `/integrations/${id}`, { name, settings, credentials: {} });
    expect(kept.body.credentials).toEqual({ user: '', pass: '9876' });
    const emptied = await call('put', `/integrations/${id}`, {
      name: 'Relay',
      settings,
      credentials: { user: null, pass: '' },
    });
    expect(emptied.body).toMatchObject({ name: 'Relay', credentials: {} });
    const half = await call('put', `/integrations/${id}`, {
      name,
      settings,
      credentials: { user: 'x' },
    });
    expect(half.body.error).toBe('pass must be given with user');
  });

  test('is tested at its provider, and works again when it needed attention', async () => {
    const id = await add(bot);
    await dashboard.database.prisma.integration.update({
      where: { id },
      data: { state: 'needs_attention', stateReason: 'invalid_auth' },
    });
    const passed = await call('post', `/integrations/${id}/test`);
    expect(passed.body).toMatchObject({ isWorking: true, state: 'active' });
    expect(passed.text).not.toContain(token);
  });

  test('says so when its provider cannot be reached, and stays as it is', async () => {
    const settings = { ...smtp.settings, host: '127.0.0.1', port: 1 };
    const id = await add({ ...smtp, settings });
    const failed = await call('post', `/integrations/${id}/test`);
    expect(failed.body).toMatchObject({ isWorking: false, state: 'active' });
    expect(failed.body.detail).not.toBe('');
  });

  test('is paused and resumed', async () => {
    const id = await add(smtp);
    expect((await call('post', `/integrations/${id}/pause`)).body.state).toBe('paused');
    expect((await call('post', `/integrations/${id}/resume`)).body.state).toBe('active');
  });

  test('says which live events it breaks, and goes when that is accepted', async () => {
    const id = await add(smtp);
    const second = await add({ ...smtp, name: 'Second' });
    const template = { subject: 'Hi', text: 'Hello' };
    const { name, eventId } = await dashboard.factories.createEvent(me, {
      email: channelVersion(template, { integrationIds: [id] }),
    });
    await dashboard.factories.createEvent(me, {
      email: channelVersion(template, { integrationIds: [id, second] }),
    });
    const use = { eventId, eventName: name, channel: 'email', where: 'live', isOnly: true };
    const listed = (await call('get', '/integrations')).body.integrations;
    expect(listed.find((each: { id: string }) => each.id === id).usedBy).toContainEqual(use);
    const refused = await call('delete', `/integrations/${id}`);
    expect([refused.status, refused.body.details]).toEqual([409, { breaks: [use] }]);
    expect((await call('delete', `/integrations/${second}`)).status).toBe(200);
    expect((await call('delete', `/integrations/${id}?breaks=accepted`)).status).toBe(200);
    expect((await call('get', `/integrations/${id}`)).body.code).toBe('integration_not_found');
    const row = await dashboard.database.prisma.integration.findUniqueOrThrow({ where: { id } });
    expect(row.credentials).toBe('');
  });
});
