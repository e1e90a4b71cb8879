import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { createSecrets, newId } from '@belfry/runtime';
import {
  type ReaderSecret,
  signReaderToken,
  type Tenant,
  type TokenChanges,
  testKeyRing,
  testSecrets,
} from '@belfry/testing';
import request, { type Test } from 'supertest';
import { writeStreamTicket } from '../middleware/stream-ticket';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';
import { follow } from '../streams/follow.fixture';

let gateway: StoredGateway;
let tenant: Tenant;
let secret: ReaderSecret;
let other: { tenant: Tenant; secret: ReaderSecret };

beforeAll(async () => {
  gateway = await createStoredGateway();
  const { factories } = gateway;
  tenant = gateway.tenant;
  secret = await factories.createInboxSecret(tenant);
  const otherTenant = await factories.createTenant();
  other = { tenant: otherTenant, secret: await factories.createInboxSecret(otherTenant) };
});

afterAll(() => gateway.close());

type Headers = Record<string, string>;

function call(path: string, headers: Headers, appId = tenant.appId): Test {
  const url = `/v1/apps/${appId}/in_app_notifications/${path}`;
  return request(gateway.server).get(url).set(headers);
}

const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` });

function sign(userId: string, changes: TokenChanges = {}, by = secret): string {
  return signReaderToken(by, { appId: tenant.appId, userId }, changes);
}

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

async function addItem(userId: string): Promise<void> {
  const { appId } = tenant;
  const ids = { id: newId(), messageId: newId(), appId, userId };
  await gateway.database.prisma.inboxItem.create({ data: { ...ids, content: {} } });
}

describe('a token', () => {
  test('signs in its user on every route, and the user may be left out', async () => {
    const userId = newId();
    await addItem(userId);
    const token = sign(userId);
    expect((await call('counts', bearer(token))).body).toEqual({ unseen: 1, unread: 1 });
    expect((await call('unread_count', bearer(token))).body).toEqual({ unread_count: 1 });
    const named = await call(`counts?user_id=${userId}`, bearer(token));
    expect(named.body).toEqual({ unseen: 1, unread: 1 });
    const fetched = await request(gateway.server)
      .post(`/v1/apps/${tenant.appId}/in_app_notifications/fetch`)
      .set(bearer(token))
      .send({});
    expect(fetched.body.notifications).toHaveLength(1);
  });

  test('shows each of two users the own inbox only', async () => {
    const [ana, ben] = [newId(), newId()];
    await addItem(ana);
    expect((await call('counts', bearer(sign(ana)))).body.unread).toBe(1);
    expect((await call('counts', bearer(sign(ben)))).body.unread).toBe(0);
    const answer = await call(`counts?user_id=${ana}`, bearer(sign(ben)));
    expect([answer.status, answer.body.error]).toEqual([
      401,
      'user_id must be the user of the token: leave it out',
    ]);
  });

  test('may have expired up to 60 seconds ago, and expire up to one hour ahead', async () => {
    for (const exp of [inSeconds(-50), inSeconds(3_600)]) {
      expect((await call('counts', bearer(sign('ana', { claims: { exp } })))).status).toBe(200);
    }
  });

  test('may name the app in capitals, as the path may', async () => {
    const app = tenant.appId.toUpperCase();
    expect((await call('counts', bearer(sign('ana', { claims: { app } })), app)).status).toBe(200);
  });

  const invalid = /^the token is not valid: it must be a JWT with HS256/;

  function unsigned(): string {
    const [, claims] = sign('ana').split('.');
    const header = Buffer.from(JSON.stringify({ alg: 'none', kid: secret.id })).toString(
      'base64url',
    );
    return `${header}.${claims}.`;
  }

  /** RS256, and HS256 with the public key as the secret. */
  function byKeyPair(alg: 'RS256' | 'HS256'): string {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const [, claims] = sign('ana').split('.');
    const header = Buffer.from(JSON.stringify({ alg, kid: secret.id })).toString('base64url');
    const text = `${header}.${claims}`;
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    const signature =
      alg === 'RS256'
        ? createSign('sha256').update(text).sign(privateKey)
        : createHmac('sha256', pem).update(text).digest();
    return `${text}.${signature.toString('base64url')}`;
  }

  test.each<[string, () => string, RegExp | string]>([
    ['that is no JWT', () => 'x', invalid],
    ['without a signature', unsigned, invalid],
    ['with RS256', () => byKeyPair('RS256'), invalid],
    ['signed with the public key of a key pair', () => byKeyPair('HS256'), invalid],
    ['with HS512 in its header', () => sign('ana', { header: { alg: 'HS512' } }), invalid],
    ['of a stranger', () => sign('ana', {}, { ...secret, secret: 'guess' }), invalid],
    [
      'signed with an API key',
      () => sign('ana', {}, { ...secret, secret: tenant.apiKey }),
      invalid,
    ],
    ['with the secret of another app', () => sign('ana', {}, other.secret), invalid],
    [
      'with the kid of another app',
      () => sign('ana', { header: { kid: other.secret.id } }),
      invalid,
    ],
    ['without a kid', () => sign('ana', { header: { kid: undefined } }), invalid],
    ['whose claims were changed', () => withOtherClaims(sign('ana')), invalid],
    ['that is not valid yet', () => sign('ana', { claims: { nbf: inSeconds(120) } }), invalid],
    [
      'that has expired',
      () => sign('ana', { claims: { exp: inSeconds(-70) } }),
      'the token has expired',
    ],
    [
      'that is valid for over an hour',
      () => sign('ana', { claims: { exp: inSeconds(3_700) } }),
      'the claim exp of the token must be at most one hour ahead',
    ],
    [
      'that never expires',
      () => sign('ana', { claims: { exp: undefined } }),
      'the claim exp of the token is missing',
    ],
    [
      'for another app',
      () => sign('ana', { claims: { app: other.tenant.appId } }),
      'the claim app of the token must be the app ID of the path',
    ],
    ['without a user', () => sign('ana', { claims: { sub: undefined } }), /^the claim sub of the/],
    [
      'for an impossible user',
      () => sign('ana', { claims: { sub: '..' } }),
      /^the claim sub of the/,
    ],
    [
      'for a user that is a number',
      () => sign('ana', { claims: { sub: 7 } }),
      /^the claim sub of the/,
    ],
  ])('%s is refused', async (_title, create, sentence) => {
    const { status, body, headers } = await call('counts', bearer(create()));
    expect([status, body.code]).toEqual([401, 'unauthenticated']);
    expect(headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    if (typeof sentence === 'string') expect(body.error).toBe(sentence);
    else expect(body.error).toMatch(sentence);
  });

  function withOtherClaims(token: string): string {
    const [header, , signature] = token.split('.');
    const [, claims] = sign('ben').split('.');
    return [header, claims, signature].join('.');
  }

  test('for an app of another account gets the same error as for an unknown app', async () => {
    const token = sign('ana');
    const answers = await Promise.all(
      [other.tenant.appId, newId(), 'x'].map((appId) => call('counts', bearer(token), appId)),
    );
    const bodies = answers.map(({ body: { request_id: _id, ...body } }) => body);
    expect(bodies).toEqual([bodies[0], bodies[0], bodies[0]]);
    expect(bodies[0].code).toBe('unauthenticated');
  });

  test('is refused once its secret is revoked, and one with the second secret is not', async () => {
    const { factories, database } = gateway;
    const app = await factories.createTenant();
    const secrets = [
      await factories.createInboxSecret(app),
      await factories.createInboxSecret(app),
    ];
    await expect(factories.createInboxSecret(app)).rejects.toThrow('Two secrets are active');
    const count = (by: ReaderSecret) => {
      const token = signReaderToken(by, { appId: app.appId, userId: 'ana' });
      return call('counts', bearer(token), app.appId);
    };
    for (const each of secrets) expect((await count(each)).status).toBe(200);
    const [first, second] = secrets;
    await database.prisma.inboxSecret.update({
      where: { id: first!.id },
      data: { revokedAt: new Date() },
    });
    expect((await count(first!)).status).toBe(401);
    expect((await count(second!)).status).toBe(200);
  });

  test('is not accepted where the API key is needed', async () => {
    const answer = await request(gateway.server)
      .get(`/v1/apps/${tenant.appId}/users/ana/inbox`)
      .set(bearer(sign('ana')));
    expect(answer.status).toBe(401);
  });
});

describe('an app without signatures by API keys', () => {
  test('accepts tokens only, with the same error as for a wrong signature', async () => {
    const { factories, database } = gateway;
    const app = await factories.createTenant();
    const appSecret = await factories.createInboxSecret(app);
    const signature = createHmac('sha256', app.apiKey).update('ana').digest('hex');
    const bySignature = () =>
      call('counts?user_id=ana', { 'X-Raven-User-Signature': signature }, app.appId);
    expect((await bySignature()).status).toBe(200);
    const where = { id: app.appId };
    await database.prisma.app.update({ where, data: { inboxSignature: false } });
    const refused = await bySignature();
    const wrong = await call(
      'counts?user_id=ana',
      { 'X-Raven-User-Signature': '0'.repeat(64) },
      app.appId,
    );
    expect([refused.status, refused.body.error]).toEqual([401, wrong.body.error]);
    const token = signReaderToken(appSecret, { appId: app.appId, userId: 'ana' });
    expect((await call('counts', bearer(token), app.appId)).status).toBe(200);
  });
});

describe('a ticket', () => {
  async function createTicket(userId: string): Promise<string> {
    const { status, body } = await request(gateway.server)
      .post(`/v1/apps/${tenant.appId}/in_app_notifications/stream_ticket`)
      .set(bearer(sign(userId)));
    expect([status, body.expires_in]).toEqual([200, 60]);
    return body.ticket;
  }

  async function open(ticket: string, appId = tenant.appId): Promise<number> {
    const stream = await follow(gateway, appId, { query: { ticket } });
    stream.close();
    return stream.status;
  }

  test('opens the stream of its user, in place of a header', async () => {
    const userId = newId();
    await addItem(userId);
    const stream = await follow(gateway, tenant.appId, {
      query: { ticket: await createTicket(userId) },
    });
    expect(await stream.waitForEvents(1)).toMatchObject([{ data: { unread: 1 } }]);
    stream.close();
  });

  test('is refused after a minute, for another app, changed, or made with another key', async () => {
    const session = { userId: 'ana', credentialId: secret.id, endsAtMs: Date.now() + 60_000 };
    const ticket = await createTicket('ana');
    const strangers = createSecrets(`test:${Buffer.alloc(32, 1).toString('base64')}`);
    const { appId } = tenant;
    const expired = testSecrets().seal(
      JSON.stringify({ ...session, appId, expiresAtMs: Date.now() - 1 }),
      'inbox_stream_ticket',
    );
    const tickets = [
      expired,
      `${ticket}x`,
      ticket.slice(0, -2),
      'x',
      testKeyRing,
      writeStreamTicket({ ...session, appId }, strangers),
    ];
    for (const each of tickets) expect(await open(each)).toBe(401);
    expect(await open(ticket, other.tenant.appId)).toBe(401);
    expect(await open(ticket)).toBe(200);
  });

  test('opens nothing but a stream', async () => {
    const ticket = await createTicket('ana');
    expect((await call(`counts?ticket=${ticket}`, {})).status).toBe(401);
    expect((await call(`items?ticket=${ticket}`, {})).status).toBe(401);
  });
});
