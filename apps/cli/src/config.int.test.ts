import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createAlertRules,
  createAppEvents,
  createAppIntegrations,
  createSystemActor,
  type Database,
  openCredentials,
} from '@belfry/database';
import { createSecrets, readEnv } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  openDatabase,
  ownDatabase,
  testRedis,
} from '@belfry/testing';
import { runCli } from './cli';
import { createCommands } from './commands';

jest.setTimeout(60_000);

const ring = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const secrets = createSecrets(ring);
const password = 'pass-that-no-file-has';
const variables = { MAIN_SMTP_USER: 'mailer', MAIN_SMTP_PASS: password };

let url: string;
let dropOwn: () => Promise<void>;
let database: Database;
let dir: string;
let tenant: { accountId: string; appId: string };

beforeAll(async () => {
  ({ url, drop: dropOwn } = await ownDatabase());
  database = openDatabase({ url, poolSize: 2 });
});

afterAll(async () => {
  await database.close();
  await dropOwn();
});

beforeEach(async () => {
  dir = path.join(await mkdtemp(path.join(tmpdir(), 'belfry-config-')), 'folder');
  tenant = await createConfiguredApp();
});

afterEach(() => rm(path.dirname(dir), { recursive: true, force: true }));

/** An app with something in each part. */
async function createConfiguredApp() {
  const factories = createFactories(database, secrets);
  const created = await factories.createTenant({ defaultRegion: 'DE' });
  const { id } = await factories.createIntegration(created, {
    ...{ name: 'Main SMTP', channel: 'email', provider: 'smtp' },
    settings: { host: 'mail.example.com', port: 587, from: { address: 'shop@example.com' } },
    credentials: { user: 'mailer', pass: password },
  });
  await factories.createCategory(created, 'offers');
  const email = channelVersion(
    { subject: 'Order {{order}}', html: '<p>{{order}}</p>\n' },
    { integrationIds: [id] },
  );
  await factories.createEvent(
    created,
    {
      email: {
        ...email,
        templates: { ...email.templates, de: { subject: 'Nr. {{order}}', text: 'Hallo' } },
      },
    },
    { name: 'Order shipped', category: 'offers' },
  );
  await factories.createEvent(created, { sms: channelVersion({ text: 'Hi' }) }, { name: 'hello' });
  await factories.createWebhookEndpoint(created, { url: 'https://shop.example.com/hooks' });
  await createAlertRules(database.lookUps).create(
    createSystemActor(created.accountId),
    created.appId,
    {
      ...{ kind: 'circuit_open', channel: null, integrationId: id, params: {} },
      ...{ sendBy: id, sendTo: ['ops@example.com'], fallbackBy: null, fallbackTo: [] },
    },
  );
  return created;
}

type Call = { env?: Record<string, string>; appId?: string; more?: string[] };

async function config(
  verb: string,
  { env = variables, appId = tenant.appId, more = [] }: Call = {},
) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli({
    commands: createCommands('/nowhere', env),
    args: ['config', verb, dir, appId, ...more],
    readSettings: () =>
      readEnv('cli', { DATABASE_URL: url, REDIS_URL: testRedis().url, BELFRY_KEYS: ring }),
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

async function readAll(): Promise<Record<string, string>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return [path.relative(dir, file), await readFile(file, 'utf8')];
    }),
  );
  return Object.fromEntries(texts.sort());
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const target = path.join(dir, file);
  await writeFile(target, change(await readFile(target, 'utf8')));
}

/** Everything that a push could change. */
async function readState() {
  const tables = [
    ...['app', 'category', 'integration', 'event', 'event_version', 'webhook_endpoint'],
    ...['alert_rule', 'audit_entry'],
  ];
  const rows = tables.map((table) =>
    database.lookUps.query(`SELECT * FROM ${table} ORDER BY 1, 2`),
  );
  return (await Promise.all(rows)).map(({ rows: all }) => all);
}

const actions = async () =>
  (await database.prisma.auditEntry.findMany({ orderBy: { id: 'asc' } })).map(
    ({ action }) => action,
  );

const orderFile = 'events/Order%20shipped/email.en.html';

test('a pull writes canonical files without a secret, a second one changes nothing, and a push of them neither', async () => {
  expect(await config('pull', { env: {} })).toMatchObject({ code: 0, err: '' });
  const files = await readAll();
  expect(Object.keys(files)).toEqual([
    'alerts.json',
    'app.json',
    'base.json',
    'categories.json',
    'events/Order%20shipped/email.de.json',
    'events/Order%20shipped/email.de.txt',
    'events/Order%20shipped/email.en.html',
    'events/Order%20shipped/email.en.json',
    'events/Order%20shipped/event.json',
    'events/hello/event.json',
    'events/hello/sms.en.txt',
    'integrations/Main%20SMTP.json',
    'webhooks.json',
  ]);
  expect(files[orderFile]).toBe('<p>{{order}}</p>\n\n');
  expect(JSON.parse(files['integrations/Main%20SMTP.json'] ?? '')).toEqual({
    ...{ channel: 'email', provider: 'smtp' },
    credentials: { pass: { env: 'MAIN_SMTP_PASS' }, user: { env: 'MAIN_SMTP_USER' } },
    settings: { from: { address: 'shop@example.com' }, host: 'mail.example.com', port: 587 },
  });
  expect(JSON.stringify(files)).not.toContain(password);
  expect(await config('pull')).toEqual({ code: 0, out: 'No change.', err: '' });
  const before = await readState();
  expect(await config('diff')).toEqual({ code: 0, out: 'No change.', err: '' });
  expect(await config('push')).toEqual({ code: 0, out: 'No change.', err: '' });
  expect(await readState()).toEqual(before);
  expect(await readAll()).toEqual(files);
});

test('a push publishes what was edited, with audit entries, and the folder is then equal to the app', async () => {
  await config('pull');
  await edit(orderFile, () => '<b>{{order}}</b>\n');
  await edit('alerts.json', (text) => text.replace('ops@', 'night@'));
  await edit('webhooks.json', (text) => text.replace('"enabled": true', '"enabled": false'));
  await edit('categories.json', (text) => text.replace('"name": "offers"', '"name": "Offers"'));
  await edit('app.json', (text) => text.replace('"DE"', '"US"'));
  await edit('app.json', (text) => text.replace('"retentionDays": null', '"retentionDays": 90'));
  await edit('integrations/Main%20SMTP.json', (text) => text.replace('"shop@', '"store@'));
  const before = await actions();
  expect(await config('diff')).toMatchObject({
    code: 2,
    out: [
      'change    alerts.json',
      'change    app.json',
      'change    categories.json',
      `change    ${orderFile}`,
      'change    integrations/Main%20SMTP.json',
      'change    webhooks.json',
    ].join('\n'),
  });
  expect(await actions()).toEqual(before);
  expect(await config('push')).toMatchObject({ code: 0, err: '' });
  expect((await actions()).slice(before.length).sort()).toEqual([
    'alert.changed',
    'app.changed',
    'category.changed',
    'event.published',
    'integration.changed',
    'webhook.changed',
  ]);
  const event = (await createAppEvents(database.lookUps).list(tenant.appId)).find(
    ({ name }) => name === 'Order shipped',
  );
  expect(event?.live).toMatchObject({
    number: 2,
    definition: { channels: { email: { templates: { en: { html: '<b>{{order}}</b>' } } } } },
  });
  expect(await config('diff')).toEqual({ code: 0, out: 'No change.', err: '' });
  expect(await config('pull')).toEqual({ code: 0, out: 'No change.', err: '' });
});

async function publishInDashboard(html: string): Promise<void> {
  const events = createAppEvents(database.lookUps);
  const row = (await events.list(tenant.appId)).find(({ name }) => name === 'Order shipped');
  if (!row?.live) throw new Error('The event is not live');
  const { definition } = row.live;
  const email = definition.channels['email'];
  if (!email) throw new Error('The event has no e-mail');
  const templates = { ...email.templates, en: { subject: 'Order {{order}}', html } };
  await events.publishDefinition(createSystemActor(tenant.accountId), tenant.appId, {
    eventId: row.id,
    definition: { ...definition, channels: { email: { ...email, templates } } },
  });
}

test('a push of a version that was replaced meanwhile exits with 3 and changes nothing, not even elsewhere', async () => {
  await config('pull');
  await publishInDashboard('<p>From the dashboard</p>');
  await edit('events/hello/sms.en.txt', () => 'Hello\n');
  const before = await readState();
  const files = await readAll();
  const refused = await config('push');
  expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('Nothing was changed.') });
  expect(refused.out).toContain(`conflict  ${orderFile}`);
  expect(await config('diff')).toMatchObject({ code: 3 });
  expect(await readState()).toEqual(before);
  expect(await readAll()).toEqual(files);
});

test('after a conflict, a pull takes the changes of the app and keeps the edits of other files', async () => {
  await config('pull');
  await publishInDashboard('<p>From the dashboard</p>');
  await edit('events/hello/sms.en.txt', () => 'Hello\n');
  expect(await config('pull')).toMatchObject({ code: 0, out: `written  ${orderFile}` });
  expect(await readAll()).toMatchObject({
    [orderFile]: '<p>From the dashboard</p>\n',
    'events/hello/sms.en.txt': 'Hello\n',
  });
  expect(await config('push')).toEqual({
    code: 0,
    err: '',
    out: 'change    events/hello/sms.en.txt',
  });
});

test('a pull of a file that was edited on both sides exits with 3 and changes nothing; --overwrite takes the app’s', async () => {
  await config('pull');
  await publishInDashboard('<p>From the dashboard</p>');
  await edit(orderFile, () => '<p>Mine</p>\n');
  const files = await readAll();
  expect(await config('pull')).toMatchObject({ code: 3, err: expect.stringContaining(orderFile) });
  expect(await readAll()).toEqual(files);
  expect(await config('pull', { more: ['--overwrite'] })).toMatchObject({ code: 0 });
  expect(await readAll()).toMatchObject({ [orderFile]: '<p>From the dashboard</p>\n' });
});

test('--overwrite replaces what changed meanwhile', async () => {
  await config('pull');
  await publishInDashboard('<p>From the dashboard</p>');
  expect(await config('push', { more: ['--overwrite'] })).toMatchObject({ code: 0 });
  expect(await config('diff')).toMatchObject({ code: 0 });
});

test('a draft that an operator is editing survives a push', async () => {
  await config('pull');
  const events = createAppEvents(database.lookUps);
  const find = async () => (await events.list(tenant.appId)).find(({ name }) => name === 'hello');
  const row = await find();
  if (!row?.live) throw new Error('The event is not live');
  const draft = { ...row.live.definition, defaultLocale: 'de' };
  const save = { eventId: row.id, basedOn: row.draftRevision, definition: draft };
  await events.saveDraft(createSystemActor(tenant.accountId), tenant.appId, save);
  await edit('events/hello/sms.en.txt', () => 'Hello\n');
  expect(await config('push')).toMatchObject({ code: 0 });
  expect(await find()).toMatchObject({ draft, live: { number: 2 } });
});

describe('a folder that cannot be pushed exits with 65, names the file and changes nothing', () => {
  const smtp = 'integrations/Main%20SMTP.json';
  const replace = (file: string, from: string, to: string) => () =>
    edit(file, (text) => text.replace(from, to));
  const add = (file: string, text: string) => async () => {
    await mkdir(path.dirname(path.join(dir, file)), { recursive: true });
    await writeFile(path.join(dir, file), text);
  };

  test.each([
    [
      'an unknown field',
      replace('app.json', '{', '{"colour": 1,'),
      'app.json: colour is not a known field',
    ],
    [
      'invalid JSON',
      replace(smtp, '"port": 587', '"port": 587 "secret-text"'),
      `${smtp}: is not valid JSON`,
    ],
    [
      'a retention that is too short',
      replace('app.json', '"retentionDays": null', '"retentionDays": 1'),
      'app.json: retentionDays must be a whole number from 2 to 3650, or null',
    ],
    ['a value of the wrong kind', replace(smtp, '587', '"many"'), `${smtp}: settings.port`],
    [
      'a secret in the file',
      replace(smtp, '{\n      "env": "MAIN_SMTP_PASS"\n    }', '"secret-text"'),
      `${smtp}: credentials.pass must name an environment variable`,
    ],
    [
      'an unknown provider',
      replace(smtp, '"smtp"', '"pigeon"'),
      `${smtp}: has an unknown channel or provider: email, pigeon`,
    ],
    [
      'a variable that is not set',
      replace(smtp, 'MAIN_SMTP_PASS', 'NOT_SET'),
      `${smtp}: credentials.pass needs the environment variable NOT_SET, which is not set`,
    ],
    [
      'a setting of Belfry as a variable',
      replace(smtp, 'MAIN_SMTP_PASS', 'BELFRY_KEYS'),
      `${smtp}: credentials.pass names BELFRY_KEYS`,
    ],
    [
      'a host that needs the credentials again',
      async () => {
        await replace(smtp, 'mail.example.com', 'other.example.com')();
        await edit(smtp, (text) =>
          text.replace(/"credentials": \{[\s\S]*?\n {2}\}/, '"credentials": {}'),
        );
      },
      `${smtp}: credentials.user must be entered again`,
    ],
    [
      'an unknown integration',
      replace('events/Order%20shipped/event.json', 'Main SMTP', 'Other'),
      'events/Order%20shipped/event.json: channels.email.integrations names “Other”',
    ],
    [
      'an unknown category',
      replace('events/Order%20shipped/event.json', 'offers', 'gone'),
      'events/Order%20shipped/event.json: The app has no category “gone”',
    ],
    [
      'a template that does not compile',
      add(orderFile, '<p>{{#if}}</p>\n'),
      `${orderFile}: line 1`,
    ],
    [
      'a channel without a template in the default language',
      replace('events/hello/event.json', '"defaultLocale": "en"', '"defaultLocale": "fr"'),
      'events/hello/event.json: channels.sms: Add a template in the default language, fr.',
    ],
    [
      'a template of a channel that the event does not have',
      add('events/hello/email.en.txt', 'x'),
      'events/hello/email.en.txt: belongs to a channel that event.json does not have',
    ],
    [
      'an event without its file',
      add('events/other/sms.en.txt', 'x'),
      'events/other/sms.en.txt: has no event.json beside it',
    ],
    [
      'an unknown file',
      add('webhook.json', '[]'),
      'webhook.json: is not a file of a configuration folder',
    ],
    [
      'a name that is not encoded',
      add('events/Big sale/event.json', '{}'),
      'events/Big sale/event.json: has a name that must be percent-encoded',
    ],
    [
      'an address that no webhook may have',
      replace('webhooks.json', 'https://shop', 'http://shop'),
      'webhooks.json: 0.url must use https',
    ],
    [
      'a category twice',
      replace(
        'categories.json',
        '[',
        '[{"slug": "offers", "texts": {"en": {"name": "x", "description": ""}}},',
      ),
      'categories.json: has the category offers twice',
    ],
    [
      'an alert rule with a wrong number',
      replace('alerts.json', '"params": {}', '"params": {"minutes": 1}'),
      'alerts.json: 0.params.minutes is not a field of this kind',
    ],
    [
      'an alert rule that names no integration',
      replace('alerts.json', '"integration": "Main SMTP"', '"integration": "Other"'),
      'alerts.json: 0.',
    ],
    [
      'a file that is not UTF-8',
      () => writeFile(path.join(dir, 'events/hello/sms.en.txt'), Buffer.from([0xff])),
      'events/hello/sms.en.txt: must be UTF-8',
    ],
    [
      'a link',
      async () => {
        await rm(path.join(dir, 'events/hello/sms.en.txt'));
        await symlink('/etc/hostname', path.join(dir, 'events/hello/sms.en.txt'));
      },
      'events/hello/sms.en.txt: must be a regular file',
    ],
    ['no app.json', () => rm(path.join(dir, 'app.json')), 'app.json: is missing'],
  ])('%s', async (_what, spoil, problem) => {
    await config('pull');
    await edit('categories.json', (text) =>
      text.replace('"description": ""', '"description": "x"'),
    );
    await spoil();
    const before = await readState();
    const { code, err } = await config('push');
    expect(err).toContain(problem);
    expect(code).toBe(65);
    expect(err).not.toContain('secret-text');
    expect(await readState()).toEqual(before);
  });
});

describe('secrets', () => {
  const readStored = async () => {
    const [row] = await createAppIntegrations(database.lookUps).list(tenant.appId);
    if (!row) throw new Error('The app has no integration');
    return openCredentials(row, secrets);
  };

  test('a push stores the value of a variable that changed, and never prints it', async () => {
    await config('pull');
    const env = { ...variables, MAIN_SMTP_PASS: 'rotated-password' };
    expect(await config('diff', { env })).toMatchObject({
      code: 2,
      out: 'secret    integrations/Main%20SMTP.json',
    });
    const pushed = await config('push', { env });
    expect(pushed).toMatchObject({ code: 0, out: 'secret    integrations/Main%20SMTP.json' });
    expect(await readStored()).toEqual({ user: 'mailer', pass: 'rotated-password' });
    expect(JSON.stringify([pushed, await database.prisma.auditEntry.findMany()])).not.toContain(
      'rotated-password',
    );
    expect(await config('push', { env })).toMatchObject({ code: 0, out: 'No change.' });
  });

  test('an absent reference keeps the stored secret, needs no variable, and stays absent in the next pull', async () => {
    await config('pull');
    await edit('integrations/Main%20SMTP.json', (text) =>
      text
        .replace(/"credentials": \{[\s\S]*?\n {2}\}/, '"credentials": {}')
        .replace('shop@', 'store@'),
    );
    expect(await config('push', { env: {} })).toMatchObject({ code: 0 });
    expect(await readStored()).toEqual({ user: 'mailer', pass: password });
    expect(await config('pull', { env: {} })).toMatchObject({ code: 0, out: 'No change.' });
  });

  test('names of variables that the folder has stay, and a setting may be a reference too', async () => {
    await config('pull');
    await edit('integrations/Main%20SMTP.json', (text) =>
      text
        .replace('MAIN_SMTP_PASS', 'MAIL_PASSWORD')
        .replace('"mail.example.com"', '{"env": "MAIL_HOST"}')
        .replace('587', '{"env": "MAIL_PORT"}'),
    );
    const env = {
      ...{ MAIN_SMTP_USER: 'mailer', MAIL_PASSWORD: password },
      ...{ MAIL_HOST: 'mail.example.com', MAIL_PORT: '587' },
    };
    expect(await config('push', { env })).toMatchObject({ code: 0 });
    expect(await config('push', { env })).toMatchObject({ code: 0, out: 'No change.' });
    await config('pull', { env });
    const file = JSON.parse((await readAll())['integrations/Main%20SMTP.json'] ?? '');
    expect(file).toMatchObject({
      credentials: { pass: { env: 'MAIL_PASSWORD' } },
      settings: { host: { env: 'MAIL_HOST' }, port: { env: 'MAIL_PORT' } },
    });
  });
});

describe('what the folder lacks', () => {
  test('is removed only with --remove: events, integrations, categories, webhooks and alert rules', async () => {
    await config('pull');
    await rm(path.join(dir, 'events'), { recursive: true });
    await rm(path.join(dir, 'integrations'), { recursive: true });
    for (const name of ['categories', 'webhooks', 'alerts'])
      await writeFile(path.join(dir, `${name}.json`), '[]');
    const before = await readState();
    expect(await config('diff')).toMatchObject({ code: 2 });
    expect(await config('push')).toMatchObject({
      code: 1,
      err: expect.stringContaining('--remove'),
    });
    expect(await readState()).toEqual(before);
    expect(await config('push', { more: ['--remove'] })).toMatchObject({ code: 0, err: '' });
    expect(await config('push')).toMatchObject({ code: 0, out: 'No change.' });
    expect(await createAppEvents(database.lookUps).list(tenant.appId)).toEqual([]);
    expect(await createAppIntegrations(database.lookUps).list(tenant.appId)).toEqual([]);
  });

  test('keeps an integration from being removed while an event of the folder names it', async () => {
    await config('pull');
    await rm(path.join(dir, 'integrations'), { recursive: true });
    expect(await config('push', { more: ['--remove'] })).toMatchObject({
      code: 65,
      err: expect.stringContaining('events/Order%20shipped/event.json'),
    });
  });
});

describe('another app', () => {
  test('gets the same configuration, and both then have no difference to the folder', async () => {
    await config('pull');
    const other = await createFactories(database, secrets).createTenant();
    const call = { appId: other.appId };
    expect(await config('push', call)).toMatchObject({ code: 3 });
    const first = await config('push', { ...call, more: ['--overwrite'] });
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(await config('push', call)).toMatchObject({ code: 0, out: 'No change.' });
    expect(await config('push')).toMatchObject({ code: 0, out: 'No change.' });
  });

  test('keeps its name and delivery, and a live one is refused a channel without an integration', async () => {
    await config('pull');
    const other = await createFactories(database, secrets).createTenant({ delivery: 'live' });
    const call = { appId: other.appId, more: ['--overwrite'] };
    expect(await config('push', call)).toMatchObject({
      code: 65,
      err: expect.stringContaining('events/hello/event.json: channels.sms: Choose an integration'),
    });
    await rm(path.join(dir, 'events/hello'), { recursive: true });
    expect(await config('push', call)).toMatchObject({ code: 0 });
    const app = await database.prisma.app.findUniqueOrThrow({ where: { id: other.appId } });
    expect(app).toMatchObject({ name: 'Test app', delivery: 'live', defaultRegion: 'DE' });
  });

  test('gets only the named parts with --only', async () => {
    await config('pull');
    const other = await createFactories(database, secrets).createTenant();
    const call = { appId: other.appId, env: {}, more: ['--only', 'categories,webhooks'] };
    expect(await config('push', call)).toMatchObject({ code: 3 });
    const pushed = await config('push', { ...call, more: [...call.more, '--overwrite'] });
    expect(pushed).toMatchObject({
      code: 0,
      out: 'change    categories.json\nchange    webhooks.json',
    });
    expect(await createAppIntegrations(database.lookUps).list(other.appId)).toEqual([]);
  });
});

test.each([
  [['config']],
  [['config', 'show', 'x']],
  [['config', 'pull']],
  [['config', 'pull', 'x', 'no-id']],
  [['config', 'pull', 'x', '0195f3a2-7c1e-7b58-9d0a-3f6f5b2c9e11', '--remove']],
  [['config', 'push', 'x', '0195f3a2-7c1e-7b58-9d0a-3f6f5b2c9e11', '--only', 'people']],
])('the arguments %j are refused with 64', async (args) => {
  const errors: string[] = [];
  const code = await runCli({
    commands: createCommands('/nowhere', {}),
    args,
    readSettings: () => readEnv('cli', { DATABASE_URL: url, BELFRY_KEYS: ring }),
    out: () => undefined,
    err: (line) => errors.push(line),
  });
  expect(code).toBe(64);
});

test('an unknown app exits with 1 and writes no file', async () => {
  const appId = '0195f3a2-7c1e-7b58-9d0a-3f6f5b2c9e11';
  expect(await config('pull', { appId })).toMatchObject({
    code: 1,
    err: `No app has the ID ${appId}.`,
  });
  await expect(readAll()).rejects.toThrow('ENOENT');
});
