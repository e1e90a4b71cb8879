import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Database, Queryable } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  openDatabase,
  ownDatabase,
  readShellBlocks,
  type Tenant,
} from '@belfry/testing';
import { recordResults } from '../deliver/record.sql';
import { claimMessageRow, resultFor, writeMessageRow } from '../message-row.fixture';
import { createRequestRemoval } from '../relay/remove-requests.sql';
import { createArchive } from './archive';
import { archivedTables } from './archive-lines.sql';

jest.setTimeout(60_000);

type Line = { type: string } & Record<string, unknown>;

const log = { warn: jest.fn() };
let database: Database;
let dropDatabase: () => Promise<void>;
let folder: string;
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeEach(async () => {
  const own = await ownDatabase();
  database = openDatabase({ url: own.url, poolSize: 4 });
  dropDatabase = own.drop;
  folder = await mkdtemp(path.join(tmpdir(), 'belfry-archive-test-'));
  log.warn.mockClear();
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, { email: channelVersion({ subject: 'x' }) });
});

afterEach(async () => {
  await database.close();
  await dropDatabase();
  await rm(folder, { recursive: true, force: true });
});

const query = (text: string, values: unknown[] = []) => database.delivery.query(text, values);

/** A request with one sent message and its receipt, which is 40 days old. */
async function writeSent(): Promise<{ requestId: string; messageId: string }> {
  const recipient = { email: 'ana@example.com' };
  const texts = { recipient, metadata: { order: 'A-1' }, cancelKey: 'a' };
  const messageId = await writeMessageRow({ database, tenant, event }, texts);
  await claimMessageRow({ database }, messageId);
  const answers = { request: '{"to":"ana@example.com"}', response: '250 OK' };
  await recordResults(database.delivery, [resultFor(messageId, answers)]);
  await writeReceipt(messageId);
  const { rows } = await query('SELECT request_id FROM message WHERE id = $1', [messageId]);
  const requestId = rows[0].request_id;
  await query("UPDATE request SET created_at = now() - interval '40 days' WHERE id = $1", [
    requestId,
  ]);
  return { requestId, messageId };
}

async function writeReceipt(messageId: string): Promise<void> {
  await database.prisma.receipt.create({
    data: {
      ...{ id: newId(), appId: tenant.appId, integrationId: newId(), messageId },
      ...{ state: 'delivered', body: 'status=delivered', identity: Buffer.from(newId()) },
    },
  });
}

/** One run of the removal. `wrap` can replace its connection. */
async function remove(
  wrap: (client: Queryable) => Queryable = (client) => client,
  chunk = 5_000,
): Promise<void> {
  const place = { ARCHIVE_URL: `file://${folder}`, ARCHIVE_S3_ENDPOINT: '', ARCHIVE_S3_REGION: '' };
  const archive = createArchive(place, log);
  const removal = createRequestRemoval({ retentionDays: 30, chunk, archive });
  const client = await database.delivery.connect();
  try {
    for (let mayBeMore = true; mayBeMore; ) {
      ({ mayBeMore } = await removal.removeChunk(wrap(client)));
    }
  } finally {
    client.release();
  }
}

/** Calls `before` once, when the removal is about to delete. */
function beforeDelete(before: () => Promise<void>): (client: Queryable) => Queryable {
  let isDone = false;
  return (client) => {
    const send = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    return {
      async query(...args: unknown[]) {
        const { text = args[0] } = args[0] as { text?: string };
        if (!isDone && String(text).startsWith('DELETE FROM receipt')) {
          isDone = true;
          await before();
        }
        return send(...args);
      },
    } as Queryable;
  };
}

async function listFiles(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}

async function readFileLines(name: string): Promise<string[]> {
  const text = gunzipSync(await readFile(path.join(folder, name))).toString();
  expect(text.endsWith('\n')).toBe(true);
  return text.slice(0, -1).split('\n');
}

async function readLines(): Promise<Line[]> {
  const texts = await Promise.all((await listFiles()).map(readFileLines));
  return texts.flat().map((text) => JSON.parse(text));
}

const countRequests = () => database.prisma.request.count();
const pick = (lines: Line[], type: string) => lines.filter((line) => line.type === type);

test('the archive has every row of a removed request, with the values of PostgreSQL and JSON as JSON', async () => {
  const { requestId, messageId } = await writeSent();
  await query(
    `UPDATE request_item SET data = '{"order":\n "A-1",\r\n"n":1.50,"text":"a\\nb\\u0000"}', skips = '{"sms":{"reason":"no_target"}}'`,
  );
  const day = new Date(Date.now() - 40 * 24 * 60 * 60_000).toISOString().slice(0, 10);
  await remove();
  const [name = '', ...others] = await listFiles();
  expect(others).toEqual([]);
  expect(name).toMatch(
    new RegExp(`^${tenant.appId}/${day}/${requestId}-[0-9a-f]{16}\\.ndjson\\.gz$`),
  );
  const texts = await readFileLines(name);
  expect(texts.every((text) => text.startsWith('{"type":"'))).toBe(true);
  const lines: Line[] = texts.map((text) => JSON.parse(text));
  const types = ['request', 'item', 'message', 'attempt', 'receipt'];
  expect(lines.map(({ type }) => type)).toEqual(types);
  const [request, item, message, attempt, receipt] = lines;
  expect(request).toMatchObject({ id: requestId, app_id: tenant.appId, kind: 'single', items: 1 });
  expect(request?.['created_at']).toMatch(new RegExp(`^${day}T.*\\+00:00$`));
  expect(item).toMatchObject({
    request_id: requestId,
    recipient: { email: 'ana@example.com' },
    data: { order: 'A-1', n: 1.5, text: 'a\nb\u0000' },
    metadata: { order: 'A-1' },
    skips: { sms: { reason: 'no_target' } },
    cancel_key: 'a',
  });
  expect(texts[1]).toContain('"n":1.50');
  expect(message).toMatchObject({ id: messageId, target: 'ana@example.com', state: 'sent' });
  expect(attempt).toMatchObject({
    ...{
      message_id: messageId,
      number: 1,
      request: '{"to":"ana@example.com"}',
      response: '250 OK',
    },
  });
  expect(receipt).toMatchObject({
    body: 'status=delivered',
    identity: expect.stringMatching(/^\\x[0-9a-f]{72}$/),
  });
  expect(await countRequests()).toBe(0);
});

test('each line has all columns of its table but those that PostgreSQL generates, in the documented order', async () => {
  await writeSent();
  await remove();
  const { rows } = await query(
    `SELECT table_name, column_name FROM information_schema.columns WHERE is_generated = 'NEVER'`,
  );
  const reference = readFileSync(
    path.join(__dirname, '../../../../docs/reference/archive.md'),
    'utf8',
  );
  const lines = await readLines();
  for (const { type, from, columns } of archivedTables) {
    const [table = ''] = from.split(' ');
    const stored = rows.filter((row) => row.table_name === table).map((row) => row.column_name);
    expect([...columns].sort()).toEqual(stored.sort());
    expect(Object.keys(pick(lines, type)[0] ?? {})).toEqual(['type', ...columns]);
    const row = reference.split('\n').find((line) => line.startsWith(`| \`${type}\``)) ?? '';
    const cell = row.split('|').at(-2) ?? '';
    expect([...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(columns);
  }
});

test('sealed texts are left out, and a sealed token stays sealed', async () => {
  await writeSent();
  await query(
    `UPDATE request_item SET data = '"v1:sealed-data"', override = '"v1:sealed-override"',
       recipient = '{"slack":{"access_token":"v1:sealed-token"}}'`,
  );
  await remove();
  const [item] = pick(await readLines(), 'item');
  expect(item).toMatchObject({
    ...{ data: null, override: null, recipient: { slack: { access_token: 'v1:sealed-token' } } },
  });
});

test('requests of several pages, small and large, are archived whole and in order', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 4; index += 1) ids.push((await writeSent()).requestId);
  const sizes = [30, 120, 30, 51];
  for (const [index, id] of ids.entries()) {
    await query(
      `INSERT INTO request_item (request_id, item, recipient, planned_at) SELECT $1, n, '{}', now() FROM generate_series(1, $2) n`,
      [id, (sizes[index] ?? 0) - 1],
    );
    await query('UPDATE request SET items = $2, planned_items = $2 WHERE id = $1', [
      id,
      sizes[index],
    ]);
  }
  await remove();
  const items = pick(await readLines(), 'item').map(
    (line) => `${line['request_id']} ${line['item']}`,
  );
  const expected = ids.flatMap((id, index) =>
    Array.from({ length: sizes[index] ?? 0 }, (_, item) => `${id} ${item}`),
  );
  expect(items).toEqual(expected);
  expect(pick(await readLines(), 'request').map(({ id }) => id)).toEqual(ids);
  expect(await countRequests()).toBe(0);
});

test('there is a file for each app and day, and none gets the name of another one', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) ids.push((await writeSent()).requestId);
  await query("UPDATE request SET created_at = created_at - interval '1 day' WHERE id = $1", [
    ids[0],
  ]);
  // It becomes final later.
  await query("UPDATE message SET state = 'queued' WHERE request_id = $1", [ids[1]]);
  await remove();
  expect(await listFiles()).toHaveLength(2);
  await query("UPDATE message SET state = 'sent'");
  await remove();
  expect(await listFiles()).toHaveLength(3);
  expect(
    pick(await readLines(), 'request')
      .map(({ id }) => id)
      .sort(),
  ).toEqual(ids);
});

test('whole days are removed, in UTC', async () => {
  const [yes, no] = [await writeSent(), await writeSent()];
  const end = "date_trunc('day', now() - interval '30 days', 'UTC')";
  await query(`UPDATE request SET created_at = ${end} - interval '1 ms' WHERE id = $1`, [
    yes.requestId,
  ]);
  await query(`UPDATE request SET created_at = ${end} WHERE id = $1`, [no.requestId]);
  await remove();
  expect(await database.prisma.request.findMany({ select: { id: true } })).toEqual([
    { id: no.requestId },
  ]);
});

test('a crash between the file and the deletion loses nothing, and the next run writes the same file', async () => {
  const ids = [(await writeSent()).requestId, (await writeSent()).requestId];
  const crash = beforeDelete(() => Promise.reject(new Error('killed')));
  await expect(remove(crash)).rejects.toThrow('killed');
  const files = await listFiles();
  expect(files).toHaveLength(1);
  expect(await countRequests()).toBe(2);
  await remove();
  expect(await listFiles()).toEqual(files);
  expect(pick(await readLines(), 'request').map(({ id }) => id)).toEqual(ids);
  expect(await countRequests()).toBe(0);
});

test('after a crash, what changed meanwhile gives a second file, and each request is still in one', async () => {
  const first = await writeSent();
  const crash = beforeDelete(() => Promise.reject(new Error('killed')));
  await expect(remove(crash)).rejects.toThrow('killed');
  const second = await writeSent();
  await remove();
  expect(await listFiles()).toHaveLength(2);
  const ids = pick(await readLines(), 'request').map(({ id }) => id);
  expect(ids.sort()).toEqual([first.requestId, first.requestId, second.requestId].sort());
});

test('a receipt that arrives while the file is written is not deleted unarchived', async () => {
  const { messageId } = await writeSent();
  await expect(remove(beforeDelete(() => writeReceipt(messageId)))).rejects.toThrow('receipt');
  expect(await database.prisma.receipt.count()).toBe(2);
  await remove();
  const receipts = pick(await readLines(), 'receipt').map(({ id }) => id);
  expect(new Set(receipts).size).toBe(2);
  expect(await countRequests()).toBe(0);
});

test('if the file cannot be written, nothing is removed, and the log says what to do', async () => {
  await writeSent();
  await rm(folder, { recursive: true });
  await expect(remove()).rejects.toThrow('is not a folder');
  expect(await countRequests()).toBe(1);
  const reason = `${folder} is not a folder. Create or mount it.`;
  expect(log.warn.mock.calls).toEqual([['archive.failed', { reason }]]);
  await mkdir(folder);
  await remove();
  expect(await countRequests()).toBe(0);
  expect(pick(await readLines(), 'request')).toHaveLength(1);
});

test('the command of the how-to counts each request once', async () => {
  await writeSent();
  await expect(remove(beforeDelete(() => Promise.reject(new Error('killed'))))).rejects.toThrow();
  await writeSent();
  await remove();
  expect(await listFiles()).toHaveLength(2);
  const blocks = readShellBlocks('docs/how-to/archive-requests.md');
  const run = (heading: string) =>
    execFileSync('sh', ['-ec', blocks.get(heading) ?? 'exit 1'], {
      env: { ...process.env, ARCHIVE: folder },
      encoding: 'utf8',
    });
  expect(run('Read it').trim()).toBe('2');
  run('Personal data');
  expect(await listFiles()).toHaveLength(2);
});
