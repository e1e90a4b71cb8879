import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { type MessageOptions, writeMessageRow } from '../message-row.fixture';
import { claimEligibleMessages, claimMessages } from './claim.sql';

let database: Database;
let factories: ReturnType<typeof createFactories>;
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 6 });
  factories = createFactories(database);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, { email: channelVersion({ subject: 'x' }) });
});

afterAll(() => database.close());

const write = (options: MessageOptions = {}) =>
  writeMessageRow({ database, tenant, event }, { target: newId(), ...options });

const read = (id: string) =>
  database.prisma.message.findUniqueOrThrow({ where: { id }, include: { attemptRows: true } });

const createClaimOptions = (ids: string[]) => ({ ids, worker: 'w', leaseMs: 20_000 });

async function claimOne(id: string) {
  const [claim] = await claimEligibleMessages(database.delivery, createClaimOptions([id]));
  return claim;
}

/** Writes a message with something in its way. */
type Obstacle = () => Promise<string>;

async function update(
  id: string,
  data: { dueAt?: Date; expiresAt?: Date; jobId?: string },
): Promise<string> {
  await database.prisma.message.update({ where: { id }, data });
  return id;
}

async function writeWithIntegration(data: { state?: string; deletedAt?: Date }): Promise<string> {
  const integration = { channel: 'email', provider: 'smtp' };
  const { id } = await factories.createIntegration(tenant, integration);
  await database.prisma.integration.update({ where: { id }, data });
  return write({ integrationId: id });
}

async function writeSuppressed(sender: string): Promise<string> {
  const id = await write();
  const { appId, channel, target: recipient } = await read(id);
  const suppression = { id: newId(), appId, channel, recipient, sender, reason: 'hard_bounce' };
  await database.prisma.suppression.create({ data: suppression });
  return id;
}

async function writeOnPausedChannel(): Promise<string> {
  const channel = `channel_${newId()}`;
  await pauseChannel(tenant.appId, channel);
  return write({ channel });
}

function pauseChannel(appId: string, channel: string) {
  const text = 'INSERT INTO channel_pause (app_id, channel) VALUES ($1, $2)';
  return database.delivery.query(text, [appId, channel]);
}

const later = () => new Date(Date.now() + 60_000);
const before = () => new Date(Date.now() - 1_000);

/** Columns that an index of messages holds, or decides by whether a row is in it. */
const indexedColumnsStatement = `
SELECT a.attname AS name FROM pg_attribute a
WHERE a.attrelid = 'message'::regclass AND a.attnum > 0 AND EXISTS (
  SELECT 1 FROM pg_index i WHERE i.indrelid = a.attrelid AND (
    a.attnum = ANY (i.indkey) OR EXISTS (SELECT 1 FROM pg_depend d
      WHERE d.objid = i.indexrelid AND d.refobjid = i.indrelid AND d.refobjsubid = a.attnum)))`;

describe('a clear claim', () => {
  test('gives what a claim gives, its attempt opened in the same statement', async () => {
    const recipient = { email: 'ana@example.com' };
    const [clearly, closely] = [await write({ recipient }), await write({ recipient })];
    const claims = [
      await claimOne(clearly),
      ...(await claimMessages(database.delivery, createClaimOptions([closely]))),
    ];
    const [clear, close] = claims.map((claim) => (claim?.kind === 'claimed' ? claim.message : {}));
    const own = { id: '', requestId: '', target: '' };
    expect({ ...clear, ...own }).toEqual({ ...close, ...own });
    expect(await read(clearly)).toMatchObject({
      state: 'sending',
      attempts: 1,
      waits: null,
      jobId: clearly,
      attemptRows: [{ number: 1, worker: 'w', closedAt: null }],
    });
  });

  test('changes nothing that an index knows, so it writes to none', async () => {
    const id = await update(await write(), { jobId: newId() });
    const readColumns = async () => {
      const { rows } = await database.delivery.query('SELECT * FROM message WHERE id = $1', [id]);
      return Object.entries<unknown>(rows[0]);
    };
    const before = new Map(await readColumns());
    expect(await claimOne(id)).toMatchObject({ kind: 'claimed' });
    const changed = (await readColumns()).flatMap(([name, value]) =>
      String(before.get(name)) === String(value) ? [] : [name],
    );
    expect(changed).toEqual(expect.arrayContaining(['state', 'due_at', 'attempts']));
    const { rows } = await database.delivery.query<{ name: string }>(indexedColumnsStatement);
    const indexedColumns = new Set(rows.map((row) => row.name));
    expect(indexedColumns).toContain('waiting_at');
    expect(changed.filter((name) => indexedColumns.has(name))).toEqual([]);
  });

  test('passes by what another app suppressed or paused', async () => {
    const id = await write({ channel: `channel_${newId()}` });
    const { channel, target: recipient } = await read(id);
    const { appId } = await factories.createTenant();
    const suppression = { id: newId(), appId, channel, recipient, reason: 'hard_bounce' };
    await database.prisma.suppression.create({ data: suppression });
    await pauseChannel(appId, channel);
    expect(await claimOne(id)).toMatchObject({ kind: 'claimed' });
  });

  test.each([
    ['clear', claimEligibleMessages],
    ['full', claimMessages],
  ])(
    'takes a message at the moment that it is due, though its time is stored rounded up: %s',
    async (_, claim) => {
      const ids = await Promise.all(Array.from({ length: 20 }, () => write()));
      const client = await database.delivery.connect();
      try {
        for (const id of ids) {
          // now() stays the same in a transaction.
          await client.query('BEGIN');
          await client.query('UPDATE message SET due_at = now() WHERE id = $1', [id]);
          expect(await claim(client, createClaimOptions([id]))).toMatchObject([
            { kind: 'claimed' },
          ]);
          await client.query('COMMIT');
        }
      } finally {
        client.release();
      }
    },
  );

  test('gives a message to one of many workers', async () => {
    const id = await write();
    const claims = await Promise.all(Array.from({ length: 6 }, () => claimOne(id)));
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
  });

  test.each<[string, Obstacle]>([
    ['is not due', async () => update(await write(), { dueAt: later() })],
    ['is beyond its end', async () => update(await write(), { expiresAt: before() })],
    ['goes to a suppressed address', () => writeSuppressed('')],
    ['goes to an address that some sender may not write to', () => writeSuppressed('+4520000009')],
    ['goes by a channel that is paused', writeOnPausedChannel],
    ['goes by an integration that is paused', () => writeWithIntegration({ state: 'paused' })],
    [
      'goes by an integration that needs attention',
      () => writeWithIntegration({ state: 'needs_attention' }),
    ],
    ['goes by an integration that is removed', () => writeWithIntegration({ deletedAt: before() })],
    ['is a push', () => write({ channel: 'push' })],
    [
      'was planned for a device of OneSignal',
      () => write({ channel: 'onesignal', deviceId: newId() }),
    ],
  ])('leaves a message as it is that %s', async (_what, writeOne) => {
    const id = await writeOne();
    const clear = await write();
    const row = await read(id);
    const claims = await claimEligibleMessages(database.delivery, createClaimOptions([id, clear]));
    expect(claims.map((claim) => claim?.kind)).toEqual([undefined, 'claimed']);
    expect(await read(id)).toEqual(row);
  });
});
