import { createLookUps, openCredentials } from '@belfry/database';
import { writeSlackTicket } from '@belfry/runtime';
import {
  createSlackSimulator,
  type SlackSimulator,
  signSlackEvent,
  simulatedInstall,
  type Tenant,
  testSecrets,
} from '@belfry/testing';
import request, { type Response } from 'supertest';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';

const app = { clientId: '1111.2222', clientSecret: 'simulated-client-secret' };
const signingSecret = 'simulated-signing-secret';
const secrets = testSecrets();

let slack: SlackSimulator;
let gateway: StoredGateway;

beforeAll(async () => {
  slack = await createSlackSimulator({ app });
  gateway = await createStoredGateway({
    env: {
      SLACK_API_URL: slack.url,
      SLACK_CLIENT_ID: app.clientId,
      SLACK_CLIENT_SECRET: app.clientSecret,
      SLACK_SIGNING_SECRET: signingSecret,
    },
  });
}, 60_000);

afterAll(async () => {
  await gateway.close();
  await slack.close();
});

async function createIntegration(settings: Record<string, unknown> = {}, tenant = gateway.tenant) {
  const integration = { channel: 'slack', provider: 'slack', settings };
  return (await gateway.factories.createIntegration(tenant, integration)).id;
}

const read = (id: string) =>
  gateway.database.prisma.integration.findUniqueOrThrow({ where: { id } });

function ticketFor(integrationId: string, { tenant = gateway.tenant, expiresInMs = 60_000 } = {}) {
  const { accountId } = tenant;
  const expiresAtMs = Date.now() + expiresInMs;
  return writeSlackTicket(
    { integrationId, accountId, operatorId: undefined, expiresAtMs },
    secrets,
  );
}

const begin = (ticket: string) => request(gateway.server).get('/slack/install').query({ ticket });

/** Follows the browser flow: to Slack, where a person agrees, and back. */
async function install(ticket: string, { withCookie = true } = {}): Promise<Response> {
  const redirect = await begin(ticket);
  expect(redirect.status).toBe(302);
  const agreed = await fetch(redirect.headers['location'] ?? '', { redirect: 'manual' });
  const back = new URL(agreed.headers.get('location') ?? '');
  const [cookie = ''] = String(redirect.headers['set-cookie'] ?? '').split(';');
  const returned = request(gateway.server).get(`${back.pathname}${back.search}`);
  return withCookie ? returned.set('Cookie', cookie) : returned;
}

function postEvent(event: Record<string, unknown>, secret = signingSecret, nowMs = Date.now()) {
  const { body, headers } = signSlackEvent(event, { signingSecret: secret, nowMs });
  return request(gateway.server).post('/slack/events').set(headers).send(body);
}

describe('Add to Slack', () => {
  test('stores the token in the integration of the ticket, which then works again', async () => {
    const id = await createIntegration({ max_per_second: 5 });
    await gateway.database.prisma.integration.update({
      where: { id },
      data: { state: 'needs_attention', stateReason: 'no token' },
    });
    const answer = await install(ticketFor(id));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('connected')]);
    const row = await read(id);
    expect(row).toMatchObject({
      state: 'active',
      stateReason: null,
      settings: { max_per_second: 5, ...simulatedInstall },
    });
    const integration = await createLookUps(gateway.database.lookUps).findIntegration(id);
    expect(openCredentials(integration!, secrets)).toEqual({
      access_token: expect.stringMatching(/^xoxb-/),
    });
  });

  test.each<[string, () => Promise<string>]>([
    ['no ticket', async () => ''],
    ['a forged ticket', async () => 'v1.test.AAAA.AAAA'],
    ['an expired ticket', async () => ticketFor(await createIntegration(), { expiresInMs: -1 })],
  ])('starts only with a valid ticket: %s', async (_title, create) => {
    expect((await begin(await create())).status).toBe(404);
  });

  test('changes nothing in a browser other than the one that started it', async () => {
    const id = await createIntegration();
    const answer = await install(ticketFor(id), { withCookie: false });
    expect(answer.status).toBe(400);
    expect((await read(id)).settings).toEqual({});
  });

  test('changes no integration of another account', async () => {
    const otherTenant: Tenant = await gateway.factories.createTenant();
    const id = await createIntegration({}, otherTenant);
    const answer = await install(ticketFor(id));
    expect(answer.status).toBe(400);
    expect((await read(id)).settings).toEqual({});
  });
});

describe('an unsigned body from Slack', () => {
  test('is refused over 64 KB before any of it is read', async () => {
    const answer = await request(gateway.server)
      .post('/slack/events')
      .type('json')
      .send('x'.repeat(64 * 1024 + 1));
    expect([answer.status, answer.body.code]).toEqual([413, 'body_too_large']);
  });

  test('is refused as compressed if it is', async () => {
    const answer = await request(gateway.server)
      .post('/slack/events')
      .set('Content-Encoding', 'gzip')
      .type('json')
      .send('{}');
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
  });
});

describe('a Slack event', () => {
  test('app_uninstalled marks only the integrations of its workspace and app, at once', async () => {
    const mine = await createIntegration(simulatedInstall);
    const otherTeam = await createIntegration({ ...simulatedInstall, team_id: 'T0OTHER' });
    const otherApp = await createIntegration({ ...simulatedInstall, app_id: 'A0OTHER' });
    const pasted = await createIntegration();
    expect((await postEvent({ type: 'app_uninstalled' })).status).toBe(200);
    expect(await read(mine)).toMatchObject({
      state: 'needs_attention',
      stateReason: expect.stringContaining('uninstalled'),
    });
    for (const id of [otherTeam, otherApp, pasted]) expect((await read(id)).state).toBe('active');
  });

  test('tokens_revoked marks the integration of its bot, and none for a user token', async () => {
    const mine = await createIntegration({ ...simulatedInstall, bot_user_id: 'U0MINE' });
    const otherId = await createIntegration({ ...simulatedInstall, bot_user_id: 'U0OTHER' });
    await postEvent({ type: 'tokens_revoked', tokens: { oauth: ['U0MINE'] } });
    expect((await read(mine)).state).toBe('active');
    const response = await postEvent({ type: 'tokens_revoked', tokens: { bot: ['U0MINE'] } });
    expect(response.status).toBe(200);
    expect((await read(mine)).state).toBe('needs_attention');
    expect((await read(otherId)).state).toBe('active');
  });

  test.each<[string, string, number]>([
    ['signed with another secret', 'another-secret', 0],
    ['older than five minutes', signingSecret, -6 * 60_000],
  ])('changes nothing if it is %s', async (_title, secret, ageMs) => {
    const id = await createIntegration(simulatedInstall);
    const { status } = await postEvent({ type: 'app_uninstalled' }, secret, Date.now() + ageMs);
    expect(status).toBe(401);
    expect((await read(id)).state).toBe('active');
  });

  test('returns the challenge with which Slack verifies the URL', async () => {
    const nowMs = Date.now();
    const { body } = signSlackEvent({}, { signingSecret, nowMs });
    expect(body).toContain('event_callback');
    const challenge = await postChallenge(nowMs);
    expect(challenge).toEqual({ challenge: 'c1' });
  });

  async function postChallenge(nowMs: number): Promise<unknown> {
    const { createHmac } = await import('node:crypto');
    const body = JSON.stringify({ type: 'url_verification', challenge: 'c1' });
    const time = String(Math.floor(nowMs / 1_000));
    const hmac = createHmac('sha256', signingSecret).update(`v0:${time}:${body}`).digest('hex');
    const answer = await request(gateway.server)
      .post('/slack/events')
      .set({
        'Content-Type': 'application/json',
        'X-Slack-Request-Timestamp': time,
        'X-Slack-Signature': `v0=${hmac}`,
      })
      .send(body);
    return answer.body;
  }
});

test('without a Slack app the routes do not exist', async () => {
  const plain = await createStoredGateway();
  const { status } = await request(plain.server).get('/slack/install');
  await plain.close();
  expect(status).toBe(404);
});
