import { newId } from '@belfry/runtime';
import {
  createStoredDashboard,
  type SignedIn,
  type StoredDashboard,
  testPassword,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;
let me: SignedIn;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});
beforeEach(async () => {
  me = await dashboard.signedIn();
});
afterAll(() => dashboard.close());

function call(method: 'get' | 'post' | 'put' | 'delete', path: string, body?: object) {
  const { cookie } = me;
  return dashboard.call(body ? { method, path, body, cookie } : { method, path, cookie });
}

function audited(action: string) {
  return dashboard.database.prisma.auditEntry.findMany({
    where: { accountId: me.accountId, action },
  });
}

describe('API keys', () => {
  const right = { password: testPassword };

  test('are listed without their secret, and shown after the password is given again', async () => {
    const listed = await call('get', '/api/account/keys');
    expect(listed.body.keys).toMatchObject([{ id: me.apiKeyId, lastUsedAt: null }]);
    expect(listed.text).not.toContain(me.apiKey);
    const wrong = await call('post', `/api/account/keys/${me.apiKeyId}/show`, { password: 'no' });
    expect([wrong.status, wrong.body.code]).toEqual([403, 'password_wrong']);
    expect(await audited('api_key.show')).toHaveLength(0);
    const shown = await call('post', `/api/account/keys/${me.apiKeyId}/show`, right);
    expect(shown.body).toEqual({ id: me.apiKeyId, key: me.apiKey });
    expect(await audited('api_key.show')).toMatchObject([{ operatorId: me.operatorId }]);
  });

  test('are rotated without a gap: two are active, never three and never none', async () => {
    const made = await Promise.all([
      call('post', '/api/account/keys', right),
      call('post', '/api/account/keys', right),
    ]);
    expect(made.map(({ status }) => status).sort()).toEqual([200, 409]);
    const ended = await call('delete', `/api/account/keys/${me.apiKeyId}`);
    expect(ended.status).toBe(200);
    const left = (await call('get', '/api/account/keys')).body.keys;
    expect(left).toHaveLength(1);
    const last = await call('delete', `/api/account/keys/${left[0].id}`);
    expect(last.body.code).toBe('last_key');
    const gone = await call('post', `/api/account/keys/${me.apiKeyId}/show`, right);
    expect(gone.body.code).toBe('key_not_found');
  });
});

describe('apps', () => {
  test('are created, listed, renamed and set live', async () => {
    const made = await call('post', '/api/apps', { name: 'Shop', delivery: 'sandbox' });
    expect(made.body).toMatchObject({ name: 'Shop', openInboxCounters: false });
    const path = `/api/apps/${made.body.id}`;
    const change = { name: 'Störe', delivery: 'live', openInboxCounters: true };
    expect((await call('put', path, change)).body).toMatchObject(change);
    expect((await call('put', path, { name: 'Store' })).body).toMatchObject({
      ...change,
      name: 'Store',
    });
    const names = (await call('get', '/api/apps')).body.apps.map(
      (app: { name: string }) => app.name,
    );
    expect(names).toEqual(['Store', 'Test app']);
    expect(await audited('app.change')).toHaveLength(2);
  });

  test.each([
    [{ name: '', delivery: 'live' }],
    [{ name: ' x', delivery: 'live' }],
    [{ name: 'a\nb', delivery: 'live' }],
    [{ name: 'x'.repeat(129), delivery: 'live' }],
    [{ name: 'x', delivery: 'maybe' }],
    [{ name: 'x' }],
  ])('are not created from %j', async (body) => {
    expect((await call('post', '/api/apps', body)).status).toBe(422);
    expect((await call('get', '/api/apps')).body.apps).toHaveLength(1);
  });

  test.each([newId(), 'no-uuid', '%00'])('are not found by %s', async (id) => {
    const answer = await call('put', `/api/apps/${id}`, { name: 'x' });
    expect([answer.status, answer.body.code]).toEqual([404, 'app_not_found']);
  });
});
