import { createHash, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import type { Database } from '@belfry/database';
import { createSecrets, newId, readEnv } from '@belfry/runtime';
import { parseApiKey } from '@belfry/shared';
import { createFactories, openDatabase, ownDatabase, testRedis } from '@belfry/testing';
import { runCli } from './cli';
import { createCommands } from './commands';

jest.setTimeout(60_000);

const migrations = path.resolve(__dirname, '..', '..', '..', 'prisma', 'migrations');
const createRingKey = (id: string, byte: number) =>
  `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const [k1, k2] = [createRingKey('k1', 1), createRingKey('k2', 2)];

let url: string;
let dropOwn: () => Promise<void>;
let database: Database;
let tables: string[];

beforeAll(async () => {
  ({ url, drop: dropOwn } = await ownDatabase());
  database = openDatabase({ url, poolSize: 2 });
  tables = await listTables();
});

// The tests count all rows. A database for each of them would take longer than the tests.
afterEach(() => database.lookUps.query(tables.map((name) => `DELETE FROM ${name}`).join(';')));

afterAll(async () => {
  await database.close();
  await dropOwn();
});

/** All tables with rows of their own, each before those that it refers to. */
async function listTables(): Promise<string[]> {
  const { rows } = await database.lookUps.query<{ name: string }>(
    `WITH RECURSIVE own AS (
       SELECT oid, 0 AS depth FROM pg_class
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> '_prisma_migrations'
       UNION ALL
       SELECT conrelid, depth + 1 FROM own JOIN pg_constraint ON confrelid = own.oid AND conrelid <> confrelid
     )
     SELECT oid::regclass::text AS name FROM own GROUP BY oid ORDER BY max(depth) DESC`,
  );
  return rows.map(({ name }) => name);
}

async function belfry(args: string[], ring = k1, more: Record<string, string> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli({
    commands: createCommands(migrations, {}),
    args,
    readSettings: () =>
      readEnv('cli', {
        DATABASE_URL: url,
        REDIS_URL: testRedis().url,
        BELFRY_KEYS: ring,
        DASHBOARD_URL: 'https://notify.example.com/dashboard/',
        ...more,
      }),
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** From what `account create` prints. */
function readTenant(out: string): { accountId: string; appId: string } {
  const [, accountId = ''] = /account +(\S+)/.exec(out) ?? [];
  const [, appId = ''] = /app +(\S+)/.exec(out) ?? [];
  return { accountId, appId };
}

describe('belfry account create', () => {
  test('creates an account, prints its key, and stores the key hashed and sealed', async () => {
    const { code, out } = await belfry(['account', 'create', 'Shop']);
    expect(code).toBe(0);
    const [, key = ''] = /API key {2}(\S+)/.exec(out) ?? [];
    const parsed = parseApiKey(key);
    const account = await database.prisma.account.findFirstOrThrow({
      include: { apiKeys: true, apps: true },
    });
    expect(account).toMatchObject({ name: 'Shop', apps: [{ delivery: 'sandbox' }] });
    expect(account.apiKeys.map(({ id }) => id)).toEqual([parsed?.id]);
    expect(inspect(account, { depth: null })).not.toContain(key);
  });

  test('writes an audit entry without an operator for the account, its key and its app', async () => {
    const { accountId, appId } = readTenant((await belfry(['account', 'create', 'Shop'])).out);
    const audit = await database.prisma.auditEntry.findMany({ orderBy: { action: 'asc' } });
    const entry = { accountId, operatorId: null };
    expect(audit).toMatchObject([
      { ...entry, action: 'account.created', subject: accountId, change: { name: 'Shop' } },
      { ...entry, action: 'app.created', subject: appId, appId },
      { ...entry, action: 'key.created' },
    ]);
  });

  test.each([
    [['account']],
    [['account', 'create']],
    [['account', 'create', ' ']],
    [['account', 'create', 'a', 'b']],
    [['account', 'remove', 'a']],
  ])('creates nothing for the arguments %j', async (args) => {
    expect((await belfry(args)).code).toBe(64);
    expect(await database.prisma.account.count()).toBe(0);
  });

  test('creates nothing if BELFRY_KEYS lacks a key', async () => {
    await belfry(['account', 'create', 'Shop'], k1);
    const { code, err } = await belfry(['account', 'create', 'Other'], k2);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('"k1" is missing') });
    expect(await database.prisma.account.count()).toBe(1);
  });
});

describe('belfry app', () => {
  const findApp = () => database.prisma.app.findFirstOrThrow();
  const formatSettings = (delivery: string, counters: boolean, changed: object = {}) => {
    const optional = { default_region: 'none', page_color: 'none', retention_days: 'none' };
    return [
      `delivery  ${delivery}`,
      `open_inbox_counters  ${counters}`,
      'inbox_signature  true',
      ...Object.entries({ ...optional, ...changed }).map(([name, value]) => `${name}  ${value}`),
    ].join('\n');
  };

  test('shows and changes each setting, and records the changes in the audit log without an operator', async () => {
    await belfry(['account', 'create', 'Shop']);
    const { id } = await findApp();
    expect(await belfry(['app', 'show', id])).toMatchObject({
      out: formatSettings('sandbox', false),
    });
    const set = (name: string, value: string) => belfry(['app', 'set', id, name, value]);
    expect(await set('open_inbox_counters', 'true')).toEqual({
      ...{ code: 0, err: '', out: formatSettings('sandbox', true) },
    });
    expect(await set('delivery', 'live')).toMatchObject({ out: formatSettings('live', true) });
    expect(await set('open_inbox_counters', 'false')).toMatchObject({
      out: formatSettings('live', false),
    });
    expect(await set('default_region', 'de')).toMatchObject({
      out: formatSettings('live', false, { default_region: 'DE' }),
    });
    expect((await findApp()).defaultRegion).toBe('DE');
    expect(await set('default_region', 'none')).toMatchObject({
      out: formatSettings('live', false),
    });
    expect(await set('page_color', '#1D4ED8')).toMatchObject({
      out: formatSettings('live', false, { page_color: '#1d4ed8' }),
    });
    expect(await set('page_color', 'red')).toMatchObject({ code: 64 });
    expect(await set('page_color', 'none')).toMatchObject({ code: 0 });
    expect(await set('retention_days', '90')).toMatchObject({
      out: formatSettings('live', false, { retention_days: 90 }),
    });
    for (const days of ['1', '3651', '7.5', '1e2', '-5', 'week']) {
      expect(await set('retention_days', days)).toMatchObject({ code: 64 });
    }
    expect((await findApp()).retentionDays).toBe(90);
    expect(await set('retention_days', 'none')).toMatchObject({ code: 0 });
    expect(await findApp()).toMatchObject({
      ...{ delivery: 'live', openInboxCounters: false, defaultRegion: null },
    });
    const audit = await database.prisma.auditEntry.findMany({
      where: { action: 'app.changed' },
      orderBy: { id: 'asc' },
    });
    const entry = { action: 'app.changed', operatorId: null, appId: id, subject: id };
    expect(audit).toMatchObject([
      { ...entry, change: { openInboxCounters: true } },
      { ...entry, change: { delivery: 'live' } },
      { ...entry, change: { openInboxCounters: false } },
      { ...entry, change: { defaultRegion: 'DE' } },
      { ...entry, change: { defaultRegion: null } },
      { ...entry, change: { pageColor: '#1d4ed8' } },
      { ...entry, change: { pageColor: null } },
      { ...entry, change: { retentionDays: 90 } },
      { ...entry, change: { retentionDays: null } },
    ]);
  });

  test.each([
    [['set']],
    [['set', 'ID', 'open_inbox_counters']],
    [['set', 'ID', 'open_inbox_counters', 'yes']],
    [['set', 'ID', 'counters', 'true']],
    [['set', 'ID', 'delivery', 'live', 'now']],
    [['set', 'an-app', 'delivery', 'live']],
    [['show']],
    [['show', 'ID', 'delivery']],
    [['remove', 'ID']],
  ])('changes nothing for the arguments %j and prints the valid ones', async (args) => {
    await belfry(['account', 'create', 'Shop']);
    const { id } = await findApp();
    const { code, err } = await belfry(['app', ...args.map((arg) => arg.replace('ID', id))]);
    expect({ code, err }).toEqual({
      ...{ code: 64, err: expect.stringContaining('open_inbox_counters true|false') },
    });
    expect(await findApp()).toMatchObject({ delivery: 'sandbox', openInboxCounters: false });
  });

  test('exits 1 if no app has the ID', async () => {
    const id = newId();
    expect(await belfry(['app', 'set', id, 'delivery', 'live'])).toMatchObject({
      ...{ code: 1, err: `No app has the ID ${id}.` },
    });
  });
});

describe('belfry account quota', () => {
  const readLimit = async () =>
    (await database.prisma.account.findFirstOrThrow()).storageLimitBytes;

  test.each<[string, bigint | null, string]>([
    ['500MB', 500_000_000n, '0 B of 500 MB'],
    ['1.5 GB', 1_500_000_000n, '0 B of 1.5 GB'],
    ['2tb', 2_000_000_000_000n, '0 B of 2 TB'],
    ['none', 0n, 'no limit'],
    ['default', null, 'no limit'],
  ])('sets %s by name or ID and prints the new limit', async (size, limit, expectedText) => {
    await belfry(['account', 'create', 'Shop']);
    const { id } = await database.prisma.account.findFirstOrThrow();
    for (const nameOrId of ['Shop', id]) {
      await belfry(['account', 'quota', nameOrId, '7MB']);
      const { code, out } = await belfry(['account', 'quota', nameOrId, size]);
      expect({ code, out }).toEqual({ code: 0, out: `"Shop" (${id}): ${expectedText}.` });
      expect(await readLimit()).toBe(limit);
    }
  });

  test('writes an audit entry without an operator for each change of the limit', async () => {
    const { accountId } = readTenant((await belfry(['account', 'create', 'Shop'])).out);
    for (const size of ['7MB', '7MB', 'default']) await belfry(['account', 'quota', 'Shop', size]);
    await belfry(['account', 'quota', 'Shop']);
    const action = 'account.storage_limit_changed';
    const audit = await database.prisma.auditEntry.findMany({
      where: { action },
      orderBy: { id: 'asc' },
    });
    const entry = { accountId, operatorId: null, subject: accountId };
    expect(audit).toMatchObject([
      { ...entry, change: { limitBytes: 7_000_000 } },
      { ...entry, change: { limitBytes: null } },
    ]);
  });

  test('shows the stored bytes and changes nothing without a size', async () => {
    await belfry(['account', 'create', 'Shop']);
    const data = { storageLimitBytes: 5_000_000_000n, storedBytes: 3_210_000_000n };
    await database.prisma.account.updateMany({ data });
    const { code, out } = await belfry(['account', 'quota', 'Shop']);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining('3.2 GB of 5 GB'),
    });
    expect(await readLimit()).toBe(5_000_000_000n);
  });

  test.each(['5', '0GB', '-1GB', '1e3GB', '5 PB', '', '5GB!', '9999999999GB', '1.2345GB'])(
    'refuses the size %j and changes nothing',
    async (size) => {
      await belfry(['account', 'create', 'Shop']);
      await belfry(['account', 'quota', 'Shop', '7MB']);
      const { code, err } = await belfry(['account', 'quota', 'Shop', size]);
      expect({ code, err }).toMatchObject({ code: 64, err: expect.stringContaining('500MB') });
      expect(await readLimit()).toBe(7_000_000n);
    },
  );

  test('changes nothing for an unknown or ambiguous name, and lists the IDs of the ambiguous one', async () => {
    for (const name of ['Shop', 'Shop']) await belfry(['account', 'create', name]);
    expect(await belfry(['account', 'quota', 'Other', '5GB'])).toMatchObject({ code: 1 });
    const { code, err } = await belfry(['account', 'quota', 'Shop', '5GB']);
    expect(code).toBe(1);
    const accounts = await database.prisma.account.findMany();
    for (const { id, storageLimitBytes } of accounts) {
      expect(err).toContain(id);
      expect(storageLimitBytes).toBeNull();
    }
  });
});

describe('belfry operator reset', () => {
  async function createOperator(session = 1): Promise<string> {
    const accountId = randomUUID();
    await database.prisma.account.create({ data: { id: accountId, name: 'Shop' } });
    const id = randomUUID();
    await database.prisma.operator.create({
      data: { id, accountId, email: 'Ana@example.com', passwordHash: 'x', role: 'admin' },
    });
    await database.prisma.operatorSession.create({
      data: {
        tokenHash: new Uint8Array([session]),
        operatorId: id,
        expiresAt: new Date(Date.now() + 60_000),
      },
    });
    return accountId;
  }

  test('prints a link, stores only a hash of its token, and ends sessions and earlier links', async () => {
    const accountId = await createOperator();
    await belfry(['operator', 'reset', 'ana@example.com']);
    const { code, out } = await belfry(['operator', 'reset', 'ana@example.com']);
    expect(code).toBe(0);
    const [, token = ''] =
      /^https:\/\/notify\.example\.com\/dashboard\/set-up#(\S+)$/m.exec(out) ?? [];
    const rows = await database.prisma.invitation.findMany({ orderBy: { createdAt: 'asc' } });
    expect(rows.map(({ expiresAt }) => expiresAt > new Date())).toEqual([false, true]);
    expect(rows[1]).toMatchObject({
      accountId,
      kind: 'reset',
      email: 'Ana@example.com',
      role: 'admin',
    });
    const hash = createHash('sha256').update(token).digest();
    expect(Buffer.from(rows[1]?.tokenHash ?? []).equals(hash)).toBe(true);
    expect(await database.prisma.operatorSession.count({ where: { revokedAt: null } })).toBe(0);
  });

  test('resets the operator of one account if several have the address', async () => {
    const [first, second] = [await createOperator(1), await createOperator(2)];
    const result = await belfry(['operator', 'reset', 'ana@example.com']);
    expect(result.code).toBe(1);
    for (const id of [first, second]) expect(result.err).toContain(id);
    expect(await database.prisma.invitation.count()).toBe(0);
    expect(await database.prisma.operatorSession.count({ where: { revokedAt: null } })).toBe(2);
    expect((await belfry(['operator', 'reset', 'ana@example.com', second])).code).toBe(0);
    const [link, ...others] = await database.prisma.invitation.findMany();
    expect([link?.accountId, others]).toEqual([second, []]);
    const open = await database.prisma.operatorSession.findMany({
      where: { revokedAt: null },
      include: { operator: true },
    });
    expect(open.map(({ operator }) => operator.accountId)).toEqual([first]);
  });

  test('writes an audit entry without an operator', async () => {
    const accountId = await createOperator();
    await belfry(['operator', 'reset', 'ana@example.com']);
    const operator = await database.prisma.operator.findFirstOrThrow();
    expect(await database.prisma.auditEntry.findMany()).toMatchObject([
      {
        accountId,
        operatorId: null,
        action: 'operator.reset_link_created',
        subject: operator.id,
        change: { email: 'Ana@example.com' },
      },
    ]);
  });

  test.each(['nobody@example.com', 'a_a@example.com', '%'])(
    'exits 1 if no operator has the address %s',
    async (email) => {
      await createOperator();
      expect((await belfry(['operator', 'reset', email])).code).toBe(1);
      expect(await database.prisma.invitation.count()).toBe(0);
      expect(await database.prisma.auditEntry.count()).toBe(0);
    },
  );
});

describe('belfry operator reset-totp', () => {
  async function createOperator(): Promise<string> {
    const [id, accountId] = [randomUUID(), randomUUID()];
    await database.prisma.account.create({ data: { id: accountId, name: 'Shop' } });
    const data = { id, accountId, email: 'ana@example.com', passwordHash: 'x', role: 'owner' };
    await database.prisma.operator.create({ data });
    const expiresAt = new Date(Date.now() + 60_000);
    const tokenHash = new Uint8Array([1]);
    await database.prisma.operatorSession.create({
      data: { tokenHash, operatorId: id, expiresAt },
    });
    return id;
  }

  test('turns two-step sign-in off, ends the sessions, and writes an audit entry', async () => {
    const operatorId = await createOperator();
    const data = { operatorId, secret: 'sealed', confirmedAt: new Date(), lastStep: 1 };
    await database.prisma.operatorTotp.create({ data });
    const { code, out } = await belfry(['operator', 'reset-totp', 'ANA@example.com']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('is off') });
    expect(await database.prisma.operatorTotp.count()).toBe(0);
    expect(await database.prisma.operatorSession.count({ where: { revokedAt: null } })).toBe(0);
    expect(await database.prisma.auditEntry.findMany()).toMatchObject([
      { operatorId: null, action: 'operator.totp_reset', subject: operatorId },
    ]);
  });

  test('changes nothing for an operator without it', async () => {
    await createOperator();
    const { code, out } = await belfry(['operator', 'reset-totp', 'ana@example.com']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('Nothing changed') });
    expect(await database.prisma.operatorSession.count({ where: { revokedAt: null } })).toBe(1);
    expect(await database.prisma.auditEntry.count()).toBe(0);
  });

  test.each([
    [['reset-totp', 'nobody@example.com'], 1],
    [['reset-totp'], 64],
    [['reset-password', 'ana@example.com'], 64],
  ])('refuses %j', async (args, expected) => {
    await createOperator();
    expect((await belfry(['operator', ...args])).code).toBe(expected);
  });
});

test('belfry operator reset leaves two-step sign-in on', async () => {
  const [id, accountId] = [randomUUID(), randomUUID()];
  await database.prisma.account.create({ data: { id: accountId, name: 'Shop' } });
  const totp = { create: { secret: 'sealed', confirmedAt: new Date(), lastStep: 1 } };
  const data = { id, accountId, email: 'ana@example.com', passwordHash: 'x', role: 'owner', totp };
  await database.prisma.operator.create({ data });
  const { out } = await belfry(['operator', 'reset', 'ana@example.com']);
  expect(out).toContain('it stays on');
  expect(await database.prisma.operatorTotp.count()).toBe(1);
});

describe('belfry keys rotate', () => {
  const opens = (sealed: string, place: string, ring: string) =>
    createSecrets(ring).open(sealed, place);

  async function seed() {
    const { out } = await belfry(['account', 'create', 'Shop']);
    const tenant = readTenant(out);
    const { appId } = tenant;
    const factories = createFactories(database, createSecrets(k1));
    const { id: integrationId } = await factories.createIntegration(tenant, {
      name: 'mail',
      channel: 'email',
      provider: 'smtp',
      settings: {},
      credentials: { pass: 'hunter2' },
    });
    const userSid = randomUUID();
    const requestId = newId();
    const seal = (place: string) => createSecrets(k1).seal('xoxb-token', place);
    await database.prisma.user.create({
      data: {
        id: userSid,
        appId,
        userId: 'ana',
        contact: {
          slack: { access_token: seal(`app_user:${userSid}:slack.access_token`), email: 'a@b.c' },
        },
      },
    });
    const recipient = `{"slack":{"access_token":"${seal(`request_item:${requestId}:0:slack.access_token`)}"},  "n":1.50}`;
    await database.prisma.request.create({
      data: {
        id: requestId,
        accountId: randomUUID(),
        appId,
        eventId: randomUUID(),
        versionId: randomUUID(),
        kind: 'single',
        items: 2,
        plannedItems: 2,
        requestItems: {
          create: [
            { item: 0, recipient },
            { item: 1, recipient: '{"email":"a@b.c"}' },
          ],
        },
      },
    });
    const operatorId = randomUUID();
    const secret = createSecrets(k1).seal('JBSWY3DPEHPK3PXP', `operator_totp:${operatorId}`);
    await database.prisma.operator.create({
      data: {
        ...{ id: operatorId, accountId: tenant.accountId, email: 'ana@example.com' },
        ...{ passwordHash: 'x', role: 'owner', totp: { create: { secret } } },
      },
    });
    return { integrationId, userSid, requestId, operatorId };
  }

  test('reseals everything so that the new key alone opens it, and changes nothing else', async () => {
    const { integrationId, userSid, requestId, operatorId } = await seed();
    const { code, out } = await belfry(['keys', 'rotate'], `${k2},${k1}`);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining('You can remove the key "k1"'),
    });
    const { prisma } = database;
    const integration = await prisma.integration.findUniqueOrThrow({
      where: { id: integrationId },
    });
    expect(opens(integration.credentials, `integration:${integrationId}:credentials`, k2)).toBe(
      '{"pass":"hunter2"}',
    );
    const key = await prisma.apiKey.findFirstOrThrow();
    expect(opens(key.sealed, `api_key:${key.id}`, k2)).toMatch(/^bk_/);
    const totp = await prisma.operatorTotp.findUniqueOrThrow({ where: { operatorId } });
    expect(opens(totp.secret, `operator_totp:${operatorId}`, k2)).toBe('JBSWY3DPEHPK3PXP');
    const { contact } = await prisma.user.findUniqueOrThrow({ where: { id: userSid } });
    const { slack } = contact as { slack: { access_token: string; email: string } };
    expect(opens(slack.access_token, `app_user:${userSid}:slack.access_token`, k2)).toBe(
      'xoxb-token',
    );
    expect(slack.email).toBe('a@b.c');
    const [item, otherItem] = await prisma.requestItem.findMany({ orderBy: { item: 'asc' } });
    const [, token = ''] = /"access_token":"([^"]+)"/.exec(item?.recipient ?? '') ?? [];
    expect(opens(token, `request_item:${requestId}:0:slack.access_token`, k2)).toBe('xoxb-token');
    expect(item?.recipient).toBe(`{"slack":{"access_token":"${token}"},  "n":1.50}`);
    expect(otherItem?.recipient).toBe('{"email":"a@b.c"}');
    expect((await belfry(['account', 'create', 'Next'], k2)).code).toBe(0);
  });

  test('skips a removed integration, which has no credentials', async () => {
    const { integrationId } = await seed();
    const where = { id: integrationId };
    const data = { credentials: '', deletedAt: new Date() };
    await database.prisma.integration.update({ where, data });
    const { code, out } = await belfry(['keys', 'rotate'], `${k2},${k1}`);
    expect(code).toBe(0);
    expect(out).toMatch(/^ +0 {2}credentials of integrations$/m);
    expect(out).toContain('All sealed data uses the key "k2"');
    const { credentials } = await database.prisma.integration.findUniqueOrThrow({ where });
    expect(credentials).toBe('');
  });

  test('reseals nothing the second time', async () => {
    await seed();
    await belfry(['keys', 'rotate'], `${k2},${k1}`);
    const { out } = await belfry(['keys', 'rotate'], `${k2},${k1}`);
    expect(out.match(/^ +0 {2}/gm)).toHaveLength(9);
  });

  test('requires an old key while replays need it', async () => {
    const { requestId } = await seed();
    await database.prisma.idempotencyKey.create({
      data: {
        accountId: randomUUID(),
        keyHash: new Uint8Array([1]),
        fingerprint: new Uint8Array([1]),
        ringKeyId: 'k1',
        requestId,
        status: 200,
      },
    });
    const { out } = await belfry(['keys', 'rotate'], `${k2},${k1}`);
    expect(out).toContain('The key "k1" is needed for idempotent replays until');
    expect((await belfry(['account', 'create', 'Next'], k2)).err).toContain('"k1" is missing');
  });
});

describe('belfry doctor', () => {
  test('exits 1 and names each role that has no worker', async () => {
    const { code, out } = await belfry(['doctor']);
    expect(code).toBe(1);
    expect(out).toMatch(/^ok {4}PostgreSQL /m);
    expect(out).toMatch(/^FAIL {2}worker deliver-email .*WORKER_ROLES=deliver-email/m);
    expect(out).toMatch(/^FAIL {2}worker relay /m);
    expect(out).toMatch(/^ok {4}backlog email /m);
  });

  test('names an integration with invalid credentials', async () => {
    const { out: output } = await belfry(['account', 'create', 'Shop']);
    await createFactories(database, createSecrets(k1)).createIntegration(readTenant(output), {
      name: 'mail',
      channel: 'email',
      provider: 'smtp',
      settings: { host: '127.0.0.1', port: 1, from: { address: 'a@example.com' } },
      credentials: {},
    });
    const { code, out } = await belfry(['doctor']);
    expect(code).toBe(1);
    expect(out).toMatch(/^FAIL {2}email mail +smtp in the app "Shop": /m);
  });

  test.each([
    [
      4_900_000n,
      true,
      /^warn {2}storage +"Shop" .* 4.9 MB of 4 MB\. .*storage_limit.*account quota/m,
    ],
    [3_300_000n, false, /^warn {2}storage +"Shop" .* 3.3 MB of 4 MB\.$/m],
    [1_000_000n, false, /^ok {4}storage +No account is near its limit.*"Shop".* 1 MB of 4 MB\.$/m],
  ])('reports an account that stores %d of 4 MB', async (storedBytes, isStorageFull, pattern) => {
    await belfry(['account', 'create', 'Shop']);
    const data = { storageLimitBytes: 4_000_000n, storedBytes, isStorageFull };
    await database.prisma.account.updateMany({ data });
    expect((await belfry(['doctor'])).out).toMatch(pattern);
  });

  test('says whether the archive can be written, if there is one', async () => {
    const examine = async (url: string) => (await belfry(['doctor'], k1, { ARCHIVE_URL: url })).out;
    expect(await examine(`file://${tmpdir()}`)).toMatch(/^ok {4}archive +It can be written\.$/m);
    expect(await examine('file:///missing')).toMatch(
      /^FAIL {2}archive +ARCHIVE_URL: \/missing is not a folder\. Create or mount it\.$/m,
    );
    expect(await examine('')).not.toContain('archive');
  });

  test('names a key missing from BELFRY_KEYS and writes no canary for the new one', async () => {
    await belfry(['account', 'create', 'Shop'], k1);
    expect((await belfry(['doctor'], k2)).out).toMatch(/^FAIL {2}keys .*"k1" is missing/m);
    expect(await database.prisma.keyCanary.count()).toBe(1);
  });

  test('exits 64 for an invalid request ID and 1 for an unknown one', async () => {
    expect(await belfry(['doctor', 'r-1'])).toMatchObject({ code: 64, out: '' });
    const { code, err } = await belfry(['doctor', randomUUID()]);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('No request has the ID'),
    });
  });
});
