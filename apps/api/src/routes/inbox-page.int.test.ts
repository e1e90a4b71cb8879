import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { newId } from '@belfry/runtime';
import type { ReaderSecret } from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';

const run = promisify(execFile);
const page = readFileSync(path.join(__dirname, '../../../../docs/reference/inbox.md'), 'utf8');
/** One more item than a page, newest first. */
const titles = Array.from({ length: 21 }, (_, at) => `Message ${21 - at}`);
let gateway: StoredGateway;
let secret: ReaderSecret;

beforeAll(async () => {
  gateway = await createStoredGateway();
  secret = await gateway.factories.createInboxSecret(gateway.tenant);
  const { database, tenant } = gateway;
  for (const title of titles.toReversed()) {
    await database.prisma.inboxItem.create({
      data: {
        id: newId(),
        appId: tenant.appId,
        userId: 'customer-1',
        messageId: newId(),
        content: { title, body: '', data: {} },
      },
    });
  }
});

afterAll(() => gateway.close());

/** The page's code blocks in a language, pointed at this gateway. */
function commandsIn(language: string, userId = 'customer-1'): string {
  const blocks = [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))];
  // A server that listens on a port has an AddressInfo.
  const { port } = gateway.server.address() as AddressInfo;
  return blocks
    .map(([, block = '']) => block)
    .join('\n')
    .replaceAll('https://notify.example.com', `http://127.0.0.1:${port}`)
    .replaceAll('<app id>', gateway.tenant.appId)
    .replaceAll('customer-1', userId);
}

function inEnvironment(): { env: Record<string, string | undefined>; timeout: number } {
  const env = {
    PATH: process.env['PATH'],
    BELFRY_API_KEY: gateway.tenant.apiKey,
    BELFRY_INBOX_SECRET_ID: secret.id,
    BELFRY_INBOX_SECRET: secret.secret,
  };
  return { env, timeout: 20_000 };
}

/** Runs the page's script and returns these variables. */
async function runScript(script: string, variables: string): Promise<unknown> {
  const print = `\nconsole.log(JSON.stringify({ ${variables} }));`;
  const args = ['--input-type=module', '--eval', `${script}${print}`];
  const { stdout } = await run(process.execPath, args, inEnvironment());
  return JSON.parse(stdout);
}

const expectedItems = titles.map((title) => ({ message_body: { title }, status: 'UNREAD' }));
const signed = 'unread_count, notifications, older';

describe('docs/reference/inbox.md', () => {
  test('has code that works on an empty inbox', async () => {
    const user = 'customer-without-messages';
    expect(await runScript(commandsIn('javascript', user), signed)).toEqual({
      ...{ unread_count: 0, notifications: [], older: [] },
    });
    expect(await runScript(commandsIn('js', user), 'items, older, counts')).toEqual({
      ...{ items: [], older: [], counts: { unseen: 0, unread: 0 } },
    });
  });

  test('has code that signs a token, reads an inbox and runs unchanged', async () => {
    const script = commandsIn('js');
    expect(await runScript(script, 'items, older, counts')).toMatchObject({
      items: expectedItems.slice(0, 20),
      older: expectedItems.slice(20),
      counts: { unseen: titles.length, unread: titles.length },
    });
    expect(await runScript(script, 'items, counts')).toMatchObject({
      items: [{ ...expectedItems[0], status: 'READ' }, ...expectedItems.slice(1, 20)],
      counts: { unseen: 0, unread: titles.length - 1 },
    });
    const undo = 'await call("PUT", "items/" + newest.message_id, { read: false });';
    await runScript(`${script}\n${undo}`, 'counts');
  });

  test('has code that reads an inbox with a signature and runs unchanged', async () => {
    expect(await runScript(commandsIn('javascript'), signed)).toMatchObject({
      unread_count: titles.length,
      notifications: expectedItems.slice(0, -1),
      older: expectedItems.slice(-1),
    });
    const { stdout: listed } = await run('sh', ['-c', commandsIn('sh')], inEnvironment());
    const read = expectedItems.map((item) => ({ ...item, status: 'READ' }));
    expect(JSON.parse(listed)).toMatchObject({
      notifications: [{ ...expectedItems[0], status: 'ARCHIVE' }, ...read.slice(1)],
    });
  });
});
