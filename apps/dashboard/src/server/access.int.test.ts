import { randomBytes } from 'node:crypto';
import { newId } from '@belfry/runtime';
import request from 'supertest';
import { ensureFirstOperator } from './first-operator';
import { hashToken } from './sessions';
import {
  createStoredDashboard,
  listOperatorEntries,
  password,
  type StoredDashboard,
} from './stored-dashboard.fixture';

const hourMs = 60 * 60_000;
let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

afterAll(() => dashboard.close());

function post(path: string, body: object, headers: Record<string, string> = {}) {
  return request(dashboard.url)
    .post(path)
    .set({ Origin: dashboard.url, ...headers })
    .send(body);
}

/** A set-up link, by default for an account without operators. */
async function createLink({ livesMs = 60_000, accountId = '' } = {}): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await dashboard.services.access.createInvitation({
    tokenHash: hashToken(token),
    accountId: accountId || (await dashboard.factories.createTenant()).accountId,
    kind: 'setup',
    role: 'owner',
    livesMs,
  });
  return token;
}

describe('a session', () => {
  test('starts with an HttpOnly cookie and ends at sign-out', async () => {
    const { url, email } = dashboard;
    const signedIn = await post('/api/session', { email: ` ${email.toUpperCase()} `, password });
    expect(signedIn.body).toMatchObject({ state: 'signed_in', operator: { email } });
    const [cookie = '', device = ''] = signedIn.get('Set-Cookie') ?? [];
    expect(device).toMatch(/^belfry_device_[\w-]{36}=\S+; .*Path=\/; .*HttpOnly; SameSite=Lax$/);
    // 400 days, the most that browsers accept.
    expect(device).toContain('Max-Age=34560000;');
    expect(cookie).toMatch(/^belfry_session=[\w-]{43}; .*Path=\/; .*HttpOnly; SameSite=Lax$/);
    const token = cookie.split(';')[0] ?? '';
    const read = () => request(url).get('/api/apps').set('Cookie', token);
    expect((await read()).status).toBe(200);
    await request(url).delete('/api/session').set({ Origin: url, Cookie: token });
    expect((await read()).body.code).toBe('signed_out');
  });

  test('ends when it expires or another session revokes it', async () => {
    const { database, createNeighbour } = dashboard;
    const { call, tenant } = await createNeighbour();
    const { body } = await call('get', 'sessions');
    expect(body.sessions).toMatchObject([{ isThisOne: true }]);
    await database.lookUps.query(
      `UPDATE operator_session SET expires_at = now() - interval '1 ms'
       WHERE operator_id IN (SELECT id FROM operator WHERE account_id = $1)`,
      [tenant.accountId],
    );
    expect((await call('get', 'apps')).body.code).toBe('signed_out');
  });

  test('ends 12 hours after its last use and at most 7 days after sign-in', async () => {
    const { url, email, database } = dashboard;
    const signedIn = await post('/api/session', { email, password });
    const own = (signedIn.get('Set-Cookie') ?? []).find((one) => one.startsWith('belfry_session='));
    const [cookie = ''] = own?.split(';') ?? [];
    expect(own).toContain('Max-Age=604800');
    const tokenHash = new Uint8Array(hashToken(cookie.split('=')[1] ?? ''));
    const read = async () => {
      const row = await database.prisma.operatorSession.findUniqueOrThrow({ where: { tokenHash } });
      return (Number(row.expiresAt) - Date.now()) / hourMs;
    };
    expect(await read()).toBeCloseTo(12, 1);
    const use = async (ageMs: number) => {
      const data = { createdAt: new Date(Date.now() - ageMs), lastSeenAt: new Date(0) };
      await database.prisma.operatorSession.update({ where: { tokenHash }, data });
      expect((await request(url).get('/api/apps').set('Cookie', cookie)).status).toBe(200);
    };
    await use(6 * 24 * hourMs);
    expect(await read()).toBeCloseTo(12, 1);
    await use((7 * 24 - 3) * hourMs);
    expect(await read()).toBeCloseTo(3, 1);
  });

  test('is refused with the same text for a wrong password and an unknown address', async () => {
    const { email } = dashboard;
    const wrongPassword = await post('/api/session', {
      email,
      password: 'something else entirely',
    });
    const unknownEmail = await post('/api/session', { email: 'nobody@example.com', password });
    expect([wrongPassword.status, wrongPassword.body.error]).toEqual([
      unknownEmail.status,
      unknownEmail.body.error,
    ]);
    expect(wrongPassword.status).toBe(401);
  });

  test('allows a burst of ten attempts, even if many arrive at once', async () => {
    const tries = { email: 'flooded@example.com', password: 'a guess' };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => post('/api/session', tries)),
    );
    const refusals = answers.filter(({ status }) => status !== 401);
    expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(
      Array(2).fill([429, 'too_many_tries']),
    );
    expect(Number(refusals[0]?.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('starts in a known browser, even if strangers on its network exhaust their attempts', async () => {
    const { email } = await dashboard.createNeighbour();
    const agent = request.agent(dashboard.url).set('Origin', dashboard.url);
    expect((await agent.post('/api/session').send({ email, password })).status).toBe(200);
    await agent.delete('/api/session').send();
    const wrongAttempts = await Promise.all(
      Array.from({ length: 12 }, () => post('/api/session', { email, password: 'a guess' })),
    );
    expect(wrongAttempts.map(({ status }) => status)).toContain(429);
    expect((await post('/api/session', { email, password })).status).toBe(429);
    expect((await agent.post('/api/session').send({ email, password })).status).toBe(200);
  });

  test('is refused with advice if the browser sends two session cookies', async () => {
    const { url, email } = dashboard;
    const signedIn = await post('/api/session', { email, password });
    const own = (signedIn.get('Set-Cookie') ?? []).find((one) => one.startsWith('belfry_session='));
    const [pair = ''] = own?.split(';') ?? [];
    for (const cookies of [`${pair}; belfry_session=x`, `belfry_session=x; ${pair}`]) {
      const { status, body } = await request(url).get('/api/apps').set('Cookie', cookies);
      expect([status, body.code]).toEqual([400, 'bad_request']);
      expect(body.error).toContain('Delete the cookies of this site');
    }
    const twice = { Origin: url, Cookie: `belfry_session=x; ${pair}` };
    expect((await request(url).delete('/api/session').set(twice)).status).toBe(200);
    const read = await request(url).get('/api/apps').set('Cookie', pair);
    expect(read.body.code).toBe('signed_out');
  });

  test('ends everywhere after a password change, except where it was changed', async () => {
    const { call, signInAgain } = await dashboard.createNeighbour();
    const otherSession = await signInAgain();
    const newPassword = 'another sentence of theirs';
    expect((await call('put', 'password', { password, newPassword })).status).toBe(200);
    expect((await call('get', 'apps')).status).toBe(200);
    expect((await otherSession('get', 'apps')).body.code).toBe('signed_out');
  });

  test.each([
    ['another site', { Origin: 'https://evil.example' }],
    ['a page without an origin', { Origin: 'null' }],
    ['another port', { Origin: 'http://127.0.0.1:1' }],
  ])('does not start from %s', async (_what, headers) => {
    const { email } = dashboard;
    expect((await post('/api/session', { email, password }, headers)).body.code).toBe(
      'wrong_origin',
    );
  });

  test('does not start under a foreign host name that resolves to this server', async () => {
    const { body } = await request(dashboard.url).get('/api/session').set('Host', 'evil.example');
    expect(body.code).toBe('wrong_origin');
  });
});

describe('the set-up link', () => {
  test('creates an operator once and signs them in', async () => {
    const token = await createLink();
    const look = await post('/api/set-up/look', { token });
    expect(look.body).toMatchObject({ kind: 'setup', minPasswordLength: 12 });
    const email = `${token.slice(0, 10).toLowerCase()}@example.com`;
    const short = await post('/api/set-up', { token, email, password: 'too short' });
    expect(short.body.fields).toEqual([
      { path: 'password', problem: 'must have at least 12 characters' },
    ]);
    const session = await post('/api/set-up', { token, email, password });
    expect(session.body).toMatchObject({ state: 'signed_in', operator: { email, role: 'owner' } });
    const again = await post('/api/set-up', { token, email: 'x@example.com', password });
    expect([again.status, again.body.code]).toEqual([410, 'link_ended']);
  });

  test('becomes invalid when it expires or a newer one is created', async () => {
    const { accountId } = await dashboard.factories.createTenant();
    const ended = await createLink({ livesMs: -1, accountId });
    const older = await createLink({ accountId });
    const newest = await createLink({ accountId });
    const look = async (token: string) => (await post('/api/set-up/look', { token })).status;
    expect([await look(ended), await look(older), await look(newest)]).toEqual([410, 410, 200]);
  });
});

describe('an unused set-up link', () => {
  test('creates no operator once its account has one', async () => {
    const token = await createLink({ accountId: dashboard.tenant.accountId });
    const body = { token, email: 'late@example.com', password };
    expect((await post('/api/set-up/look', { token })).status).toBe(410);
    expect((await post('/api/set-up', body)).body.code).toBe('link_ended');
  });
});

describe('the API key', () => {
  test('is shown after the password is confirmed, and the audit records it', async () => {
    const { call, tenant } = await dashboard.createNeighbour();
    const at = `keys/${tenant.apiKeyId}/show`;
    expect((await call('post', at, { password: 'wrong' })).body.code).toBe('wrong_password');
    expect((await call('post', at, { password })).body.key).toBe(tenant.apiKey);
    const entries = await listOperatorEntries({ call });
    expect(entries).toMatchObject([{ action: 'key.shown', subject: tenant.apiKeyId }]);
  });

  test('is rotated with two active keys, never three', async () => {
    const { call, tenant } = await dashboard.createNeighbour();
    expect((await call('post', 'keys', { password })).status).toBe(200);
    expect((await call('post', 'keys', { password })).body.code).toBe('wrong_state');
    const ended = await call('post', `keys/${tenant.apiKeyId}/end`, { password, afterMs: 60_000 });
    expect(ended.body.keys.map(({ state }: { state: string }) => state)).toEqual([
      'active',
      'ending',
    ]);
    const [active] = ended.body.keys;
    const last = await call('post', `keys/${active.id}/end`, { password });
    expect(last.body.code).toBe('needs_confirmation');
  });
});

describe('the first operator', () => {
  test('is created from the environment once and keeps its password', async () => {
    const { services } = dashboard;
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const make = (ADMIN_PASSWORD: string) =>
      ensureFirstOperator(
        { ADMIN_EMAIL: email, ADMIN_PASSWORD },
        { ...services, log: services.logger },
      );
    await make(password);
    await make('another sentence of theirs');
    expect((await post('/api/session', { email, password })).status).toBe(200);
  });
});

describe('the first operator of the first account', () => {
  test('is created even if another account has the address', async () => {
    const { services, database, factories } = dashboard;
    const { accountId } = await factories.createTenant();
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    await database.prisma.operator.create({
      data: { id: newId(), accountId, email, passwordHash: '', role: 'owner' },
    });
    const first = await database.prisma.account.findFirstOrThrow({
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    const env = { ADMIN_EMAIL: email, ADMIN_PASSWORD: password };
    await ensureFirstOperator(env, { ...services, log: services.logger });
    const { body } = await post('/api/session', { email, password });
    expect(body.account.id).toBe(first.id);
  });
});

describe('a viewer', () => {
  test('can read everything and change nothing', async () => {
    const { call, tenant } = await dashboard.createNeighbour();
    await dashboard.database.lookUps.query(
      `UPDATE operator SET role = 'viewer' WHERE account_id = $1`,
      [tenant.accountId],
    );
    expect((await call('get', 'apps')).status).toBe(200);
    expect((await call('post', 'apps', { name: 'New' })).body.code).toBe('not_allowed');
    const changed = await call('put', 'password', { password, newPassword: `${password} anew` });
    expect(changed.status).toBe(200);
  });
});

describe('the page', () => {
  test('is served for every path, relative to its base, with a strict policy', async () => {
    const { headers, text } = await request(dashboard.url).get('/apps/1/log');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(text).toContain('<base href="../../"');
  });

  test('shows template HTML in a frame without any permissions', async () => {
    const { url, email } = dashboard;
    const signedIn = await post('/api/session', { email, password });
    const cookie = (signedIn.get('Set-Cookie') ?? [''])[0]?.split(';')[0] ?? '';
    const { headers, text } = await request(url)
      .post('/api/frames')
      .set({ Origin: url, Cookie: cookie })
      .type('form')
      .send({ html: '<b>Hello</b>' });
    expect(text).toBe('<b>Hello</b>');
    expect(headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'/);
  });
});
