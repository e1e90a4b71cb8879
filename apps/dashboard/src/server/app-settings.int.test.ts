import { appSettings, listAppSettings } from '@belfry/shared';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

afterAll(() => dashboard.close());

const defaults = Object.fromEntries(
  listAppSettings().map(([key, setting]) => [key, setting.default]),
);

function readRow(id: string) {
  return dashboard.database.prisma.app.findUnique({ where: { id } });
}

async function create(body: object) {
  const answer = await dashboard.call('post', 'apps', body);
  return { ...answer, path: `apps/${answer.body.id}`, id: String(answer.body.id) };
}

test('a new app gets the default of each omitted setting', async () => {
  const plain = await create({ name: 'Plain' });
  expect(plain.body).toMatchObject({ name: 'Plain', ...defaults });
  expect(await readRow(plain.id)).toMatchObject(defaults);
  const open = await create({ name: 'Open', openInboxCounters: true });
  expect(await readRow(open.id)).toMatchObject({ ...defaults, openInboxCounters: true });
});

test('each setting can be changed alone, and the audit records it', async () => {
  const { call, database } = dashboard;
  const { path, id } = await create({ name: 'Changed' });
  const changes = [
    { openInboxCounters: true },
    { inboxSignature: false },
    { delivery: 'live' },
    { defaultRegion: 'DE' },
    { defaultRegion: null },
    { pageColor: '#1d4ed8' },
    { pageColor: null },
    { retentionDays: 2 },
    { retentionDays: 3_650 },
    { retentionDays: null },
    { name: 'Renamed' },
  ];
  let expected: object = { name: 'Changed', ...defaults };
  for (const change of changes) {
    expected = { ...expected, ...change };
    expect((await call('patch', path, { ...change, confirmName: 'Changed' })).body).toMatchObject(
      expected,
    );
    expect(await readRow(id)).toMatchObject(expected);
  }
  const audit = await database.prisma.auditEntry.findMany({
    where: { appId: id, action: 'app.changed' },
    orderBy: { id: 'asc' },
  });
  expect(audit.map(({ change }) => change)).toEqual(changes);
});

test('an invalid value changes nothing, and the error lists the valid values', async () => {
  const { path, id } = await create({ name: 'Wrong' });
  const invalidChange = { name: 'New', openInboxCounters: 'yes', delivery: 'nowhere' };
  const { status, body } = await dashboard.call('patch', path, invalidChange);
  expect(status).toBe(422);
  expect(body.fields).toEqual([
    { path: 'delivery', problem: 'must be sandbox or live' },
    { path: 'openInboxCounters', problem: 'must be true or false' },
  ]);
  for (const defaultRegion of ['XX', 'de', 'Germany', '', 49]) {
    const region = await dashboard.call('patch', path, { name: 'New', defaultRegion });
    expect([defaultRegion, region.status]).toEqual([defaultRegion, 422]);
    const problem = 'must be a two-letter region such as US or DE';
    expect(region.body.fields).toEqual([{ path: 'defaultRegion', problem }]);
  }
  for (const pageColor of ['red', '#FFF', '#1d4ed8;', '#1D4ED8', '', 7]) {
    const color = await dashboard.call('patch', path, { name: 'New', pageColor });
    expect([pageColor, color.status]).toEqual([pageColor, 422]);
    const problem = 'must be a color such as #1d4ed8, in lower case';
    expect(color.body.fields).toEqual([{ path: 'pageColor', problem }]);
  }
  for (const retentionDays of [1, 3_651, 7.5, '30', '']) {
    const days = await dashboard.call('patch', path, { name: 'New', retentionDays });
    expect([retentionDays, days.status]).toEqual([retentionDays, 422]);
    const problem = 'must be a whole number from 2 to 3650, or null';
    expect(days.body.fields).toEqual([{ path: 'retentionDays', problem }]);
  }
  expect(await readRow(id)).toMatchObject({ name: 'Wrong', ...defaults });
});

test('every column of an app that operators can edit is a setting', async () => {
  const { rows } = await dashboard.database.lookUps.query<{ name: string }>(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'app'",
  );
  const otherColumns = ['id', 'account_id', 'name', 'created_at', 'deleted_at'];
  const settings = Object.values(appSettings).map(({ name }) => name);
  expect(rows.map(({ name }) => name).sort()).toEqual([...otherColumns, ...settings].sort());
});
