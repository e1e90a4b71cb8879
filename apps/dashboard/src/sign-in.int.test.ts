import { newId } from '@belfry/runtime';
import {
  createStoredDashboard,
  type StoredDashboard,
  testPassword,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});
afterAll(() => dashboard.close());

const freshEmail = () => `${newId()}@example.com`;

function cookieOf(response: { headers: Record<string, unknown> }): string {
  const [cookie = ''] = [response.headers['set-cookie']].flat().map(String);
  return cookie;
}

function pairOf(response: { headers: Record<string, unknown> }): string {
  return cookieOf(response).split(';')[0] ?? '';
}

function signIn(email: string, password = testPassword) {
  return dashboard.call({ method: 'post', path: '/api/sign-in', body: { email, password } });
}

function session(cookie: string) {
  return dashboard.call({ method: 'get', path: '/api/session', cookie });
}

describe('set-up link', () => {
  const setUp = (token: string, email = freshEmail()) =>
    dashboard.call({
      method: 'post',
      path: '/api/setup',
      body: { token, email, password: testPassword },
    });

  test('makes the first operator of its account and signs in', async () => {
    const { accountId } = await dashboard.factories.createTenant();
    const token = await dashboard.createSetUpLink(accountId);
    const checked = await dashboard.call({
      method: 'post',
      path: '/api/setup/check',
      body: { token },
    });
    expect(checked.body).toMatchObject({ accountName: 'Test account' });
    const made = await setUp(token, 'Ana.Upper@Example.com');
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({
      operator: { email: 'ana.upper@example.com', role: 'owner' },
      account: { id: accountId },
    });
    expect((await session(pairOf(made))).body).toEqual(made.body);
  });

  test('works once, also for two who use it at the same time', async () => {
    const { accountId } = await dashboard.factories.createTenant();
    const token = await dashboard.createSetUpLink(accountId);
    const answers = await Promise.all([setUp(token), setUp(token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await setUp(token)).body.code).toBe('setup_link_invalid');
  });

  test('is refused when it is too old, unknown or no token at all', async () => {
    const { accountId } = await dashboard.factories.createTenant();
    const old = await dashboard.createSetUpLink(accountId, -1);
    for (const token of [old, 'unknown', newId()]) {
      expect((await setUp(token)).body.code).toBe('setup_link_invalid');
    }
  });

  test('stays good when the e-mail is another operator’s, or the password too short', async () => {
    const { accountId, email } = await dashboard.signedIn();
    const token = await dashboard.createSetUpLink(accountId);
    expect((await setUp(token, email)).body.code).toBe('email_taken');
    const short = await dashboard.call({
      method: 'post',
      path: '/api/setup',
      body: { token, email: freshEmail(), password: 'too short' },
    });
    expect(short.status).toBe(422);
    expect(short.body.error).toBe('password must have at least 12 characters');
    expect((await setUp(token)).status).toBe(200);
  });
});

describe('POST /api/sign-in', () => {
  test('begins a session of the operator’s account', async () => {
    const { email, accountId } = await dashboard.signedIn();
    const answer = await signIn(email.toUpperCase());
    expect(answer.status).toBe(200);
    expect(answer.body.account.id).toBe(accountId);
    expect(cookieOf(answer)).toMatch(
      /^belfry_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
  });

  test('says the same of a wrong password and of an unknown e-mail', async () => {
    const { email } = await dashboard.signedIn();
    const answers = [await signIn(email, 'wrong'), await signIn(freshEmail())];
    for (const { status, body, headers } of answers) {
      expect(status).toBe(401);
      expect(body).toMatchObject({ success: false, code: 'invalid_credentials' });
      expect(headers['set-cookie']).toBeUndefined();
    }
  });

  test('stores the token hashed only', async () => {
    const { email, operatorId } = await dashboard.signedIn();
    const token = pairOf(await signIn(email)).split('=')[1] ?? '';
    const rows = await dashboard.database.prisma.operatorSession.findMany({
      where: { operatorId },
    });
    expect(token).toHaveLength(43);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test('over TLS sets a cookie that is bound to the host, and reads no other', async () => {
    const behind = await createStoredDashboard({
      ALLOW_HTTP: 'false',
      TRUSTED_PROXIES: '127.0.0.1/32',
    });
    const { email, cookie } = await behind.signedIn();
    const headers = { 'X-Forwarded-Proto': 'https' };
    const body = { email, password: testPassword };
    const answer = await behind.call({ method: 'post', path: '/api/sign-in', body, headers });
    const plain = await behind.call({ method: 'post', path: '/api/sign-in', body });
    const other = await behind.call({ method: 'get', path: '/api/session', cookie, headers });
    await behind.close();
    expect(cookieOf(answer)).toMatch(/^__Host-belfry_session=.*; Path=\/; .*; Secure$/);
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
    expect(plain.body.code).toBe('https_required');
    expect(other.status).toBe(401);
  });

  test('stops listening after ten wrong passwords, and says for how long', async () => {
    const own = await createStoredDashboard();
    const { email } = await own.signedIn();
    const attempt = (password: string) =>
      own.call({ method: 'post', path: '/api/sign-in', body: { email, password } });
    const wrong = await Promise.all(Array.from({ length: 10 }, () => attempt('wrong')));
    const right = await attempt(testPassword);
    await own.close();
    expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([401]));
    expect(right.status).toBe(429);
    expect(right.body.code).toBe('too_many_attempts');
    expect(Number(right.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('a session', () => {
  test('ends when its operator signs out, and the browser forgets it', async () => {
    const { email } = await dashboard.signedIn();
    const cookie = pairOf(await signIn(email));
    const out = await dashboard.call({ method: 'post', path: '/api/sign-out', cookie });
    expect(cookieOf(out)).toMatch(/^belfry_session=; Max-Age=0/);
    expect((await session(cookie)).body.code).toBe('session_required');
  });

  test.each([
    ['it has expired', `expires_at = now()`],
    ['nobody used it for 12 h', `last_seen_at = now() - interval '12 h'`],
    ['it was revoked', 'revoked_at = now()'],
  ])('is over when %s', async (_, change) => {
    const { cookie, operatorId } = await dashboard.signedIn();
    expect((await session(cookie)).status).toBe(200);
    await dashboard.database.accepting.query(
      `UPDATE operator_session SET ${change} WHERE operator_id = $1`,
      [operatorId],
    );
    expect((await session(cookie)).status).toBe(401);
  });

  test('is over when its operator is disabled', async () => {
    const { cookie, operatorId, email } = await dashboard.signedIn();
    await dashboard.database.prisma.operator.update({
      where: { id: operatorId },
      data: { disabledAt: new Date() },
    });
    expect((await session(cookie)).status).toBe(401);
    expect((await signIn(email)).status).toBe(401);
  });

  test('can be ended from another one of the same operator, and from nobody else’s', async () => {
    const { cookie, email } = await dashboard.signedIn();
    const stranger = await dashboard.signedIn();
    const second = pairOf(await signIn(email));
    const list = await dashboard.call({ method: 'get', path: '/api/sessions', cookie });
    const other = list.body.sessions.find((each: { isThisOne: boolean }) => !each.isThisOne);
    const end = (as: string) =>
      dashboard.call({ method: 'delete', path: `/api/sessions/${other.id}`, cookie: as });
    expect(list.body.sessions).toHaveLength(2);
    expect((await end(stranger.cookie)).body.code).toBe('session_not_found');
    expect((await session(second)).status).toBe(200);
    expect((await end(cookie)).body).toEqual({ ended: 1 });
    expect((await session(second)).status).toBe(401);
    expect((await session(cookie)).status).toBe(200);
  });

  test('ends all the others of its operator at once', async () => {
    const { cookie, email } = await dashboard.signedIn();
    const others = [pairOf(await signIn(email)), pairOf(await signIn(email))];
    const ended = await dashboard.call({ method: 'delete', path: '/api/sessions', cookie });
    expect(ended.body).toEqual({ ended: 2 });
    const states = await Promise.all([cookie, ...others].map(async (each) => session(each)));
    expect(states.map(({ status }) => status)).toEqual([200, 401, 401]);
  });
});

describe('a change', () => {
  test.each<[string, Record<string, string>]>([
    ['another origin', { Origin: 'https://evil.example' }],
    ['another port', { Origin: 'http://127.0.0.1:1' }],
    ['no origin that can be read', { Origin: 'null' }],
    ['another site, as the browser says', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('from %s is refused, and does nothing', async (_, headers) => {
    const { cookie } = await dashboard.signedIn();
    const answer = await dashboard.call({
      method: 'post',
      path: '/api/sign-out',
      cookie,
      headers,
    });
    expect(answer.status).toBe(403);
    expect(answer.body.code).toBe('origin_refused');
    expect((await session(cookie)).status).toBe(200);
  });
});

describe('every answer', () => {
  test.each(['/api/welcome', '/api/session', '/nothing', '/livez'])(
    'to %s forbids what a page must not do',
    async (path) => {
      const { headers } = await dashboard.call({ method: 'get', path });
      expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      expect(headers['x-powered-by']).toBeUndefined();
    },
  );

  test.each<[string, object | undefined, number, string]>([
    ['no body', undefined, 415, 'unsupported_media_type'],
    ['a wrong type', { email: 1, password: 'x' }, 400, 'invalid_type'],
    ['no e-mail', { email: 'x', password: 'x' }, 422, 'validation_failed'],
  ])('to %s has the one shape of an error', async (_, body, status, code) => {
    const call = { method: 'post' as const, path: '/api/sign-in' };
    const answer = await dashboard.call(body ? { ...call, body } : call);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ success: false, code, request_id: expect.any(String) });
    expect(answer.headers['x-request-id']).toBe(answer.body.request_id);
  });
});

describe('ADMIN_EMAIL', () => {
  test('makes an operator once, who can sign in', async () => {
    const email = freshEmail();
    const own = await createStoredDashboard({ ADMIN_EMAIL: email, ADMIN_PASSWORD: testPassword });
    const made = await Promise.all([own.ensureAdministrator(), own.ensureAdministrator()]);
    const answer = await own.call({
      method: 'post',
      path: '/api/sign-in',
      body: { email, password: testPassword },
    });
    await own.close();
    expect(made.sort()).toEqual([false, true]);
    expect(answer.status).toBe(200);
  });
});
