import { readAuditPage } from '@belfry/database';
import { definition, person, slackBot } from './change-calls.fixture';
import {
  createStoredDashboard,
  type Neighbour,
  password,
  type StoredDashboard,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

afterAll(() => dashboard.close());

// biome-ignore lint/suspicious/noExplicitAny: tests assert the JSON themselves.
type Page = { entries: any[]; names: Record<string, any>; next: string | null };

async function read({ call }: Neighbour, query = ''): Promise<Page> {
  const { status, body } = await call('get', `audit?${query}`);
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
}

describe('a change', () => {
  test('is recorded with the old and new values of its fields', async () => {
    const neighbour = await dashboard.createNeighbour();
    const { call, tenant } = neighbour;
    const app = `apps/${tenant.appId}`;
    const { eventId } = await dashboard.factories.createEvent(tenant, definition.channels);
    const { id: personId } = await person({ ...neighbour, dashboard });
    const { id, updatedAt } = (await call('post', `${app}/integrations`, slackBot())).body;
    const changed = { name: 'Alerts', credentials: { access_token: 'xoxb-another-token-1234' } };
    await call('put', `${app}/integrations/${id}`, { updatedAt, ...changed });
    await call('patch', app, { name: 'Shop', openInboxCounters: false });
    await call('patch', `${app}/events/${eventId}`, { name: 'shipped', confirm: true });
    await call('patch', `people/${personId}`, { role: 'editor', password });
    await call('patch', `keys/${tenant.apiKeyId}`, { name: 'Backend' });
    const { entries } = await read(neighbour);
    expect(entries.slice(0, 5)).toMatchObject([
      { action: 'key.renamed', change: { name: 'Backend' }, before: { name: null } },
      { action: 'operator.role_changed', change: { role: 'editor' }, before: { role: 'viewer' } },
      {
        action: 'event.renamed',
        change: { name: 'shipped' },
        before: { name: expect.any(String) },
      },
      {
        action: 'app.changed',
        change: { name: 'Shop', openInboxCounters: false },
        before: { name: 'Test app', openInboxCounters: false },
      },
      {
        action: 'integration.changed',
        change: { name: 'Alerts', entered_credentials: ['access_token'] },
        before: { name: expect.any(String), settings: {} },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain('another-token');
  });

  test('has the names of its things, also of removed ones', async () => {
    const neighbour = await dashboard.createNeighbour();
    const { call, tenant } = neighbour;
    const other = (await call('post', 'apps', { name: 'Shop' })).body.id;
    const at = `apps/${other}/integrations`;
    const { id, name } = (await call('post', at, slackBot())).body;
    await call('delete', `${at}/${id}`, {});
    await call('delete', `apps/${other}`, { confirmName: 'Shop' });
    await call('patch', `keys/${tenant.apiKeyId}`, { name: 'Backend' });
    const { names } = await read(neighbour);
    expect(names[other]).toEqual({ name: 'Shop', isRemoved: true, requestId: null });
    expect(names[id]).toMatchObject({ name, isRemoved: true });
    expect(names[tenant.apiKeyId]).toMatchObject({ name: 'Backend', isRemoved: false });
    expect(names[tenant.appId]).toMatchObject({ name: 'Test app', isRemoved: false });
  });

  test('never has a name from another account', async () => {
    const neighbour = await dashboard.createNeighbour();
    const { tenant } = await dashboard.createNeighbour();
    await dashboard.database.lookUps.query(
      'UPDATE audit_entry SET subject = $2 WHERE account_id = $1',
      [neighbour.tenant.accountId, tenant.appId],
    );
    expect((await read(neighbour)).names).not.toHaveProperty(tenant.appId);
  });
});

describe('the audit', () => {
  test('is filtered by operator, app, action and time', async () => {
    const neighbour = await dashboard.createNeighbour();
    const { call, email } = neighbour;
    const other = (await call('post', 'apps', { name: 'Shop' })).body.id;
    await call('post', `apps/${other}/pause`);
    const actions = async (query: string) =>
      (await read(neighbour, query)).entries.map(({ action }) => action);
    const { entries } = await read(neighbour);
    const own = entries.find((entry) => entry.operator === email);
    expect(await actions(`operator=${own.operatorId}`)).toEqual(['sending.paused', 'app.created']);
    expect(await actions('operator=none')).not.toContain('sending.paused');
    expect(await actions(`app=${other}`)).toEqual(['sending.paused', 'app.created']);
    expect(await actions(`app=${other}&action=app.`)).toEqual(['app.created']);
    expect(await actions('action=app_')).toEqual([]);
    expect(await actions(`from=${Date.now() + 60_000}`)).toEqual([]);
    expect(await actions(`to=${Date.now() - 3_600_000}`)).toEqual([]);
    expect(await actions(`from=${Date.now() - 3_600_000}`)).toEqual(await actions(''));
    for (const query of ['operator=x', 'app=1', 'from=abc', 'to=1e99']) {
      expect([query, (await call('get', `audit?${query}`)).status]).toEqual([query, 400]);
    }
  });

  test('reads a bounded number of entries per page and continues below them', async () => {
    const neighbour = await dashboard.createNeighbour();
    const { tenant, call } = neighbour;
    for (const name of ['One', 'Two', 'Three'])
      await call('patch', `apps/${tenant.appId}`, { name });
    const read = (before: string | undefined) => {
      const filter = { before, action: 'account.' };
      const page = { limit: 9, scanned: 2 };
      return readAuditPage(dashboard.database.lookUps, tenant.accountId, filter, page);
    };
    const pages = [];
    for (let next: string | null | undefined; next !== null && pages.length < 9; ) {
      const page = await read(next);
      pages.push(page.entries.map(({ action }) => action));
      next = page.next;
    }
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.flat()).toEqual(['account.created']);
  });
});

describe('an API key', () => {
  test('gets a name when it is created, and owners rename it', async () => {
    const { call, tenant } = await dashboard.createNeighbour();
    const { body } = await call('post', 'keys', { name: ' Backend ', password });
    const keys = (await call('get', 'keys')).body.keys;
    expect(keys.map(({ name }: { name: string | null }) => name)).toEqual(['Backend', null]);
    const renamed = await call('patch', `keys/${body.id}`, { name: 'Shop' });
    expect(renamed.body.keys[0]).toMatchObject({ id: body.id, name: 'Shop' });
    expect((await call('patch', `keys/${tenant.apiKeyId}`, { name: ' ' })).status).toBe(422);
    const other = await dashboard.createNeighbour();
    expect((await other.call('patch', `keys/${body.id}`, { name: 'Mine' })).status).toBe(404);
    await call('post', `keys/${body.id}/end`, { password });
    expect((await call('patch', `keys/${body.id}`, { name: 'Late' })).status).toBe(404);
  });
});
