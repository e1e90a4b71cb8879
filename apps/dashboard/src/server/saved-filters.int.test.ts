import { newId } from '@belfry/runtime';
import {
  createStoredDashboard,
  listOperatorEntries,
  type StoredDashboard,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

afterAll(() => dashboard.close());

const failed = { last: '24h', state: 'failed', channel: 'sms' };

async function begin() {
  const who = await dashboard.createNeighbour();
  return { ...who, at: `apps/${who.tenant.appId}/filters` };
}

type Saved = { id: string; name: string };

describe('saved filters of the log', () => {
  test('can be saved, renamed, replaced and deleted, each with an audit entry', async () => {
    const { at, call } = await begin();
    const saved = await call('post', at, { name: '  Failed by sms ', filters: failed });
    expect(saved.body).toMatchObject({
      max: 50,
      filters: [{ name: 'Failed by sms', filters: failed, savedBy: expect.stringContaining('@') }],
    });
    const [{ id }] = saved.body.filters;
    const renamed = await call('patch', `${at}/${id}`, { name: 'Lost texts' });
    expect(renamed.body.filters).toMatchObject([{ id, name: 'Lost texts', filters: failed }]);
    const replaced = await call('patch', `${at}/${id}`, { filters: { state: 'unknown' } });
    expect(replaced.body.filters).toMatchObject([
      { id, name: 'Lost texts', filters: { state: 'unknown' } },
    ]);
    expect((await call('delete', `${at}/${id}`)).body.filters).toEqual([]);
    expect((await call('delete', `${at}/${id}`)).status).toBe(404);
    const entries = await listOperatorEntries({ call });
    expect(
      entries.map(({ action, subject, change }) => {
        return { action, subject, change };
      }),
    ).toEqual([
      { action: 'filter.removed', subject: id, change: null },
      { action: 'filter.changed', subject: id, change: { filters: { state: 'unknown' } } },
      { action: 'filter.changed', subject: id, change: { name: 'Lost texts' } },
      { action: 'filter.saved', subject: id, change: { name: 'Failed by sms' } },
    ]);
  });

  test('are deleted, renamed and replaced one at a time', async () => {
    const { at, call } = await begin();
    for (const name of ['a', 'b']) await call('post', at, { name, filters: failed });
    const [a, b] = (await call('get', at)).body.filters;
    await call('patch', `${at}/${a.id}`, { name: 'c' });
    await call('patch', `${at}/${a.id}`, { filters: { state: 'unknown' } });
    expect((await call('get', at)).body.filters).toMatchObject([b, { id: a.id, name: 'c' }]);
    expect((await call('delete', `${at}/${a.id}`)).body.filters).toEqual([b]);
  });

  test('are shared by all operators of the account, sorted by name', async () => {
    const { at, call, signInAgain } = await begin();
    for (const name of ['b', 'A', 'c']) await call('post', at, { name, filters: failed });
    const otherSession = await signInAgain();
    const names = (await otherSession('get', at)).body.filters.map(({ name }: Saved) => name);
    expect(names).toEqual(['A', 'b', 'c']);
  });

  test('have unique names, ignoring case', async () => {
    const { at, call } = await begin();
    await call('post', at, { name: 'Failed', filters: failed });
    const response = await call('post', at, { name: 'FAILED', filters: { state: 'unknown' } });
    expect([response.status, response.body.code, response.body.fields]).toEqual([
      409,
      'name_taken',
      [{ path: 'name', problem: 'is taken by another filter of this app' }],
    ]);
    const second = await call('post', at, { name: 'Other', filters: failed });
    const { id } = second.body.filters.find(({ name }: Saved) => name === 'Other');
    expect((await call('patch', `${at}/${id}`, { name: 'failed' })).body.code).toBe('name_taken');
    expect((await call('patch', `${at}/${id}`, { name: 'OTHER' })).status).toBe(200);
  });

  test('are limited to 50 per app, also for concurrent saves', async () => {
    const { at, call } = await begin();
    const save = (name: string) => call('post', at, { name, filters: failed });
    for (let count = 1; count < 50; count += 1) await save(`filter ${count}`);
    const answers = await Promise.all([save('one'), save('other')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [full] = answers.filter(({ status }) => status === 409);
    expect(full!.body.error).toBe('There are already 50 saved filters. Delete one first.');
    expect((await call('get', at)).body.filters).toHaveLength(50);
  });

  test.each<[string, object, string]>([
    ['no name', { name: ' ', filters: failed }, 'name'],
    ['a name that is too long', { name: 'x'.repeat(61), filters: failed }, 'name'],
    ['a name with a line break', { name: 'a\nb', filters: failed }, 'name'],
    ['no filter', { name: 'x', filters: {} }, 'filters'],
    ['a recipient', { name: 'x', filters: { recipient: 'a@example.com' } }, 'filters.recipient'],
    ['a request', { name: 'x', filters: { requestId: newId() } }, 'filters.requestId'],
    ['a key', { name: 'x', filters: { idempotencyKey: 'k' } }, 'filters.idempotencyKey'],
    ['metadata', { name: 'x', filters: { metadata: 'a:b' } }, 'filters.metadata'],
    ['an unknown filter', { name: 'x', filters: { ...failed, other: 'x' } }, 'filters.other'],
    ['an invalid period', { name: 'x', filters: { last: 'yesterday' } }, 'filters.last'],
    ['a long value', { name: 'x', filters: { event: 'x'.repeat(129) } }, 'filters.event'],
  ])('are refused with %s, and nothing is saved', async (_what, body, path) => {
    const { at, call } = await begin();
    const response = await call('post', at, body);
    expect([
      response.status,
      response.body.fields?.map((one: { path: string }) => one.path),
    ]).toEqual([422, [path]]);
    expect((await call('get', at)).body.filters).toEqual([]);
  });

  test('can be used but not changed by a viewer', async () => {
    const { at, call, tenant } = await begin();
    const saved = await call('post', at, { name: 'Failed', filters: failed });
    const [{ id }] = saved.body.filters;
    await dashboard.database.lookUps.query(
      `UPDATE operator SET role = 'viewer' WHERE account_id = $1`,
      [tenant.accountId],
    );
    const tries = [
      await call('post', at, { name: 'x', filters: failed }),
      await call('patch', `${at}/${id}`, { name: 'x' }),
      await call('delete', `${at}/${id}`),
    ];
    expect(tries.map(({ body }) => body.code)).toEqual(Array(3).fill('not_allowed'));
    expect((await call('get', at)).body.filters).toMatchObject([{ id, name: 'Failed' }]);
  });

  test('of one app are not visible in another app of the account', async () => {
    const { at, call } = await begin();
    const saved = await call('post', at, { name: 'Failed', filters: failed });
    const [{ id }] = saved.body.filters;
    const { body: otherApp } = await call('post', 'apps', { name: 'Other app' });
    const elsewhere = `apps/${otherApp.id}/filters`;
    expect((await call('get', elsewhere)).body.filters).toEqual([]);
    expect((await call('patch', `${elsewhere}/${id}`, { name: 'x' })).status).toBe(404);
    expect((await call('delete', `${elsewhere}/${id}`)).status).toBe(404);
    expect((await call('get', at)).body.filters).toHaveLength(1);
  });
});
