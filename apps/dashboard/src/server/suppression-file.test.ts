import { channels } from '@belfry/channels';
import { maxImportedRows } from '../api/suppressions';
import { toCsvLine } from './csv';
import { Refusal } from './problem';
import { readSuppressionFile, suppressionColumns } from './suppression-file';

jest.setTimeout(30_000);

const now = new Date('2026-12-01T12:00:00Z');

const read = (csv: string, defaultRegion: string | null = null) =>
  readSuppressionFile(csv, { channels, app: { defaultRegion }, now });

/** The text of the refusal, and the paths of its problems. */
async function refuse(csv: string) {
  const refusal = await read(csv).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(refusal instanceof Refusal)) throw new Error('The file was not refused');
  const { fields = [] } = refusal.details;
  return { code: refusal.code, message: refusal.message, paths: fields.map(({ path }) => path) };
}

describe('a file of suppressions', () => {
  test('may have two columns; then an operator added all rows now', async () => {
    expect(await read('address,channel\nAna@Example.com,email\n\n +1 (202) 555-0164 ,sms')).toEqual(
      [
        {
          ...{ channel: 'email', address: 'Ana@example.com', sender: '', scope: 'all' },
          ...{ reason: 'manual', source: 'manual', detail: '', createdAt: undefined },
        },
        expect.objectContaining({ channel: 'sms', address: '+12025550164' }),
      ],
    );
  });

  test('with a reason gets the source and the scope that a report of it has', async () => {
    const csv =
      'channel,address,reason,source\nemail,a@example.com,complained,\nemail,b@example.com,bounced,api';
    expect(await read(csv)).toMatchObject([
      { reason: 'complained', source: 'complaint', scope: 'optional' },
      { reason: 'bounced', source: 'api', scope: 'all' },
    ]);
  });

  test('may have a BOM, any line ends, and quoted values with commas, quotation marks and line breaks', async () => {
    const csv =
      '\uFEFFchannel,address,detail\r\nemail,a@example.com,"He said ""no"", then\r\nleft"\nemail,b@example.com,x\r';
    expect(await read(csv)).toMatchObject([
      { address: 'a@example.com', detail: 'He said "no", then\r\nleft' },
      { address: 'b@example.com', detail: 'x' },
    ]);
  });

  test('that was exported gives the same rows, also values that look like formulas', async () => {
    const row = {
      ...{ channel: 'in_app', address: '=1+1', sender: '+15005550009', scope: 'optional' },
      ...{
        reason: 'opted_out',
        source: 'reply',
        detail: '@SUM(A1), "x"',
        created_at: '2026-11-30T08:00:00.123Z',
      },
    } as const;
    const line = toCsvLine(suppressionColumns.map((name) => row[name]));
    const { created_at, ...others } = row;
    expect(await read(toCsvLine(suppressionColumns) + line)).toEqual([
      { ...others, createdAt: new Date(created_at) },
    ]);
  });

  test('reads phone numbers in the region of the app, like typed ones', async () => {
    expect(await read('channel,address\nsms,030 123456', 'DE')).toMatchObject([
      { address: '+4930123456' },
    ]);
  });

  test('is refused with line and column of each problem', async () => {
    const csv = [
      'channel,address,scope,reason,source,created_at',
      'fax,a@example.com,,,,',
      'email,nobody,,,,',
      'email,a@example.com,some,,,',
      'email,a@example.com,,spam,,',
      '"email","a@example.com",,,"the\nmoon",',
      'email,a@example.com,,,,yesterday',
      'email,a@example.com,,,,2026-12-01T12:00:01Z',
      'constructor,a@example.com,,,,',
      'email,a@example.com',
    ].join('\n');
    const { message, paths } = await refuse(csv);
    expect(paths).toEqual([
      ...[
        'line 2, channel',
        'line 3, address',
        'line 4, scope',
        'line 5, reason',
        'line 7, source',
      ],
      ...['line 8, created_at', 'line 9, created_at', 'line 10, channel', 'line 11'],
    ]);
    expect(message).toContain('Line 2, channel is not a known channel. Line 3, address ');
    expect(message).toMatch(/ And 4 more[.] Nothing was imported[.]$/);
  });

  test.each([
    ['', 'The file is empty.'],
    ['channel,address\n', 'The file has no rows below the names of its columns.'],
    ['email;address\nemail;a@example.com', 'Separate the columns with commas, not semicolons.'],
    ['email\na@example.com', 'Line 1 has no column channel.'],
    ['channel,address,address\n', 'Line 1 has the column address twice.'],
    ['channel,address,adress\n', 'Line 1 has the unknown column "adress".'],
    ['channel,address\nemail,"a@example.com', 'Line 2 has a quotation mark in the wrong place.'],
    ['channel,address\nemail,a"b@example.com', 'Line 2 has a quotation mark in the wrong place.'],
  ])('%j is refused: %s', async (csv, problem) => {
    const { code, message } = await refuse(csv);
    expect([code, message.startsWith(problem)]).toEqual(['invalid', true]);
  });

  test('is read no further than the limit of rows, or 50 problems', async () => {
    const head = 'channel,address\n';
    const tooMany = head + 'in_app,u\n'.repeat(maxImportedRows + 1);
    expect((await refuse(tooMany)).message).toMatch(
      /^The file has more than 10,000 rows[.] Split it/,
    );
    expect(await read(head + 'in_app,u\n'.repeat(maxImportedRows))).toHaveLength(maxImportedRows);
    const { message, paths } = await refuse(head + 'fax,u\n'.repeat(60));
    expect([paths.length, message]).toEqual([50, expect.stringContaining('And at least 45 more.')]);
  });

  test('does not keep other calls waiting while it is read', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    await read(`channel,address\n${'in_app,user-of-the-shop-0000000000001\n'.repeat(9_000)}`);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });
});
