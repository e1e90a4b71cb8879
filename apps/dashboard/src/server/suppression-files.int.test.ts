import { maxImportedRows } from '../api/suppressions';
import {
  createStoredDashboard,
  type Neighbour,
  type StoredDashboard,
} from './stored-dashboard.fixture';

jest.setTimeout(60_000);

let dashboard: StoredDashboard;
let operator: Neighbour;
let cookie: string;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

beforeEach(async () => {
  operator = await dashboard.createNeighbour();
  cookie = await operator.signInForCookie();
});

afterAll(() => dashboard?.close());

const at = (place: string) => `apps/${operator.tenant.appId}/suppressions${place}`;

const importFile = (csv: string) => operator.call('post', at('/import'), { csv });
const check = (csv: string) => operator.call('post', at('/import/check'), { csv });

async function exportFile(query = '', appId = operator.tenant.appId) {
  const path = `apps/${appId}/suppressions.csv${query}`;
  const response = await fetch(`${dashboard.url}/api/${path}`, { headers: { cookie } });
  return { response, text: await response.text() };
}

const list = async () => (await operator.call('get', at(''))).body.suppressions;
const listImports = async () =>
  (await operator.call('get', 'audit')).body.entries.filter(
    ({ action }: { action: string }) => action === 'suppression.imported',
  );

const head = 'channel,address,sender,scope,reason,source,detail,created_at\r\n';

describe('an import of suppressions', () => {
  test('shows what it would change, changes that in one step, and once', async () => {
    const csv = `${head}email,Ana@Example.COM,,,,,moved,2025-03-01\r\nsms,+1 (202) 555-0164,+15005550009,optional,opted_out,reply,,\r\n`;
    const counts = { added: 2, widened: 0, unchanged: 0 };
    expect((await check(csv)).body).toEqual(counts);
    expect([await list(), await listImports()]).toEqual([[], []]);
    expect((await importFile(csv)).body).toEqual(counts);
    expect(await list()).toMatchObject([
      {
        ...{ channel: 'sms', address: '+12025550164', sender: '+15005550009', scope: 'optional' },
        ...{ reason: 'opted_out', source: 'reply', detail: null, addedBy: null },
      },
      {
        ...{
          channel: 'email',
          address: 'ana@example.com',
          sender: null,
          scope: 'all',
          source: 'manual',
        },
        ...{ detail: 'moved', addedBy: operator.email, at: Date.UTC(2025, 2, 1) },
      },
    ]);
    for (const again of [check, importFile]) {
      expect((await again(csv)).body).toEqual({ added: 0, widened: 0, unchanged: 2 });
    }
    expect(await listImports()).toMatchObject([{ operator: operator.email, change: counts }]);
    expect(JSON.stringify(await listImports())).not.toMatch(/ana|555/i);
  });

  test('widens a suppression of optional events, and never narrows one of all messages', async () => {
    const row = (scope: string, detail: string) =>
      `${head}email,ana@example.com,,${scope},,,${detail},\n`;
    expect((await importFile(row('optional', 'first'))).body).toMatchObject({ added: 1 });
    expect((await check(row('all', 'second'))).body).toEqual({
      added: 0,
      widened: 1,
      unchanged: 0,
    });
    expect((await importFile(row('all', 'second'))).body).toMatchObject({ added: 0, widened: 1 });
    expect((await importFile(row('optional', 'third'))).body).toMatchObject({ unchanged: 1 });
    expect(await list()).toMatchObject([{ scope: 'all', detail: 'second' }]);
  });

  test('takes the widest of the rows for one address, and then the first', async () => {
    const rows = [
      'Ana@example.com,,optional,,,a',
      'ana@example.com,,all,,,b',
      'ANA@example.com,,all,,,c',
    ];
    const csv = head + rows.map((row) => `email,${row},\n`).join('');
    expect((await check(csv)).body).toEqual({ added: 1, widened: 0, unchanged: 0 });
    expect((await importFile(csv)).body).toMatchObject({ added: 1 });
    expect(await list()).toMatchObject([{ scope: 'all', detail: 'b' }]);
  });

  test('with one wrong row changes nothing, and names its line and column', async () => {
    const csv = 'channel,address\nemail,a@example.com\nemail,nobody\n';
    for (const send of [check, importFile]) {
      const { status, body } = await send(csv);
      expect([status, body.fields[0].path]).toEqual([422, 'line 3, address']);
    }
    expect([await list(), await listImports()]).toEqual([[], []]);
  });

  test('of more than 1,000,000 characters is refused before it is read', async () => {
    const { status, body } = await importFile(`channel,address\n${'x'.repeat(1_000_000)}`);
    expect([status, body.error]).toEqual([
      422,
      'Csv must have at most 1,000,000 characters. Split it into several files.',
    ]);
  });

  test('of the largest allowed number of rows succeeds, and exports the same rows', async () => {
    const rows = Array.from({ length: maxImportedRows }, (_, n) => {
      return `email,customer-${String(n).padStart(5, '0')}@example.com,,optional,complained`;
    });
    const { body } = await importFile(`channel,address,sender,scope,reason\n${rows.join('\n')}`);
    expect(body).toEqual({ added: maxImportedRows, widened: 0, unchanged: 0 });
    const { text } = await exportFile();
    const lines = text.trimEnd().split('\r\n').slice(1);
    expect(lines.map((line) => line.split(',').slice(0, 5).join(','))).toEqual(rows);
  });

  test('changes only its own app', async () => {
    const other = await dashboard.createNeighbour();
    await importFile('channel,address\nemail,ana@example.com\n');
    const { body } = await other.call('get', `apps/${other.tenant.appId}/suppressions`);
    expect(body.suppressions).toEqual([]);
    const foreign = `apps/${other.tenant.appId}/suppressions/import`;
    const { status } = await operator.call('post', foreign, { csv: 'channel,address\n' });
    expect([status, (await exportFile('', other.tenant.appId)).response.status]).toEqual([
      404, 404,
    ]);
  });
});

describe('an export of suppressions', () => {
  test('has every row of the list and its filter, each once, over many pages', async () => {
    await dashboard.database.lookUps.query(
      `INSERT INTO suppression (id, app_id, channel, recipient, reason)
       SELECT gen_random_uuid(), $1, c, 'a' || (n % 900) || '@example.com', 'bounced'
       FROM generate_series(1, 900) n, unnest(ARRAY['email', 'slack', 'in_app']) c`,
      [operator.tenant.appId],
    );
    const { response, text } = await exportFile();
    const [names, ...rows] = text.trimEnd().split('\r\n');
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="belfry-suppressions.csv"',
    );
    expect([names, rows.length, new Set(rows).size]).toEqual([head.trim(), 2_700, 2_700]);
    const filtered = await exportFile('?text=A89');
    expect(
      filtered.text
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((row) => row.split(',')[1]),
    ).toEqual(
      [89, ...Array.from({ length: 10 }, (_, n) => 890 + n)].map((n) => `a${n}@example.com`).sort(),
    );
  });

  test('of another app is imported without any difference', async () => {
    await importFile(
      `${head}in_app,=1+1,,optional,opted_out,reply,"@x, ""y""",2025-03-01T10:00:00.123Z\nemail,ana@example.com,,all,manual,manual,,2025-03-02\n`,
    );
    const { text } = await exportFile();
    expect(text).toContain(
      'in_app,\'=1+1,,optional,opted_out,reply,"\'@x, ""y""",2025-03-01T10:00:00.123Z',
    );
    operator = await dashboard.createNeighbour();
    cookie = await operator.signInForCookie();
    expect((await importFile(text)).body).toMatchObject({ added: 2 });
    expect((await exportFile()).text).toBe(text);
  });

  test('reads each page from its first row, however many rows are before it', async () => {
    await dashboard.database.lookUps.query(
      `INSERT INTO suppression (id, app_id, channel, recipient, reason)
       SELECT gen_random_uuid(), $1, 'email', 'a' || n || '@example.com', 'bounced' FROM generate_series(1, 20000) n`,
      [operator.tenant.appId],
    );
    await dashboard.database.lookUps.query('ANALYZE suppression');
    const startedAt = performance.now();
    const { text } = await exportFile();
    expect(text.trimEnd().split('\r\n')).toHaveLength(20_001);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
