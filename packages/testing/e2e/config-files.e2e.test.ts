import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  channelVersion,
  readShellBlocks,
  type System,
  startSystem,
  type Tenant,
  testEnvironment,
} from '@belfry/testing';

jest.setTimeout(240_000);

const run = promisify(execFile);
const root = path.resolve(__dirname, '../../..');
const blocks = readShellBlocks('docs/how-to/keep-configuration-in-files.md');

let system: System;
let tenant: Tenant;
let dir: string;

beforeAll(async () => {
  system = await startSystem();
  tenant = await createShop();
  dir = mkdtempSync(path.join(tmpdir(), 'belfry-files-'));
});

afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await system.stop();
});

async function createShop(): Promise<Tenant> {
  const created = await system.factories.createTenant();
  const { id } = await system.factories.createIntegration(created, {
    ...{ name: 'Main SMTP', channel: 'email', provider: 'smtp' },
    settings: { host: 'mail.example.com', port: 587, from: { address: 'shop@example.com' } },
    credentials: { user: 'mailer', pass: 'pass-of-the-shop' },
  });
  await system.factories.createCategory(created, 'orders');
  const template = { subject: 'Order {{order}}', html: '<p>Hi {{name}}</p>\n<p>{{order}}</p>' };
  await system.factories.createEvent(
    created,
    {
      email: channelVersion(template, { integrationIds: [id] }),
      telegram: channelVersion({ text: 'Order <b>{{order}}</b>' }),
    },
    { name: 'order_shipped', category: 'orders' },
  );
  return created;
}

/** Runs a block of the document in the folder. */
async function runBlock(heading: string, env: Record<string, string> = {}) {
  const cli = path.join(root, 'apps/cli/dist/main.js');
  const script = `set -euo pipefail; belfry() { '${process.execPath}' '${cli}' "$@"; }\n${blocks.get(heading)}`;
  const { stdout } = await run('bash', ['-c', script], {
    cwd: dir,
    env: {
      ...{ PATH: process.env['PATH'] ?? '', ...(await testEnvironment()) },
      ...{ DATABASE_URL: await readUrl(), APP_ID: tenant.appId },
      ...{ MAIN_SMTP_USER: 'mailer', MAIN_SMTP_PASS: 'pass-of-the-shop', ...env },
    },
  });
  return stdout;
}

/** The database of the system under test. */
async function readUrl(): Promise<string> {
  const { rows } = await system.database.lookUps.query<{ name: string }>(
    'SELECT current_database() AS name',
  );
  const { DATABASE_URL: url = '' } = await testEnvironment();
  return Object.assign(new URL(url), { pathname: `/${rows[0]?.name}` }).href;
}

/** The sandbox captures of one send. */
async function readCaptures(sender: Tenant) {
  const requestId = await system.sendAccepted(sender, {
    ...{ event: 'order_shipped', data: { order: 'A-7', name: 'Ana & Bo' } },
    user: { email: 'ana@example.com', telegram: { chat_id: '42' } },
  });
  const messages = await system.settled(requestId, ['sent', 'sent']);
  const captures = await system.database.prisma.capture.findMany({
    where: { messageId: { in: messages.map(({ id }) => id) } },
    orderBy: { channel: 'asc' },
  });
  return captures.map(({ channel, provider, target, content, request, outcome }) => {
    return { channel, provider, target, content, request, outcome };
  });
}

test('the commands of the how-to write, change and promote a configuration, and an app made from the files sends the same captures', async () => {
  await runBlock('Write the files');
  const page = path.join(dir, 'shop/events/order_shipped/email.en.html');
  expect(readFileSync(page, 'utf8')).toBe('<p>Hi {{name}}</p>\n<p>{{order}}</p>\n');
  writeFileSync(page, '<h1>{{order}}</h1>\n<p>{{name}}</p>\n');
  const changed = await runBlock('Change something');
  expect(changed).toContain('change    events/order_shipped/email.en.html');
  const other = await system.factories.createTenant();
  await runBlock('Promote to another app or installation', { PRODUCTION_APP_ID: other.appId });
  const captures = await readCaptures(tenant);
  expect(captures).toMatchObject([
    { channel: 'email', content: { html: expect.stringContaining('<h1>A-7</h1>') } },
    { channel: 'telegram' },
  ]);
  const strip = (value: unknown) =>
    JSON.stringify(value)
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
      .replaceAll(/\/u\/[\w.-]+/g, '/u/token');
  expect(strip(await readCaptures(other))).toBe(strip(captures));
});

test('an installation is set up by the script of the how-to, without the dashboard', async () => {
  const output = await runBlock('Set up an installation by script');
  expect(output).toContain('create    events/order_shipped/event.json');
  expect(output).toContain('default_region  DE');
});
