import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { newId } from '@belfry/runtime';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';

const run = promisify(execFile);
const page = readFileSync(path.join(__dirname, '../../../../docs/inbox.md'), 'utf8');
let gateway: StoredGateway;

beforeAll(async () => {
  gateway = await createStoredGateway();
  const { database, tenant } = gateway;
  for (const title of ['Older', 'Newer']) {
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

/** The page's commands in a language, for this gateway in place of the one in the page. */
function commandsIn(language: string): string {
  const blocks = [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))];
  // A server that listens on a port has an address with one.
  const { port } = gateway.server.address() as AddressInfo;
  return blocks
    .map(([, block = '']) => block)
    .join('\n')
    .replaceAll('https://notify.example.com', `http://127.0.0.1:${port}`)
    .replaceAll('<app id>', gateway.tenant.appId);
}

function inEnvironment(): { env: Record<string, string | undefined>; timeout: number } {
  const env = { PATH: process.env['PATH'], BELFRY_API_KEY: gateway.tenant.apiKey };
  return { env, timeout: 20_000 };
}

describe('docs/inbox.md', () => {
  test('shows how a front end reads an inbox, in code that works as it stands', async () => {
    const told = '\nconsole.log(JSON.stringify({ unread_count, notifications, older }));';
    const args = ['--input-type=module', '--eval', `${commandsIn('js')}${told}`];
    const { stdout } = await run(process.execPath, args, inEnvironment());
    expect(JSON.parse(stdout)).toMatchObject({
      unread_count: 2,
      notifications: [
        { message_body: { title: 'Newer' }, status: 'UNREAD' },
        { message_body: { title: 'Older' }, status: 'UNREAD' },
      ],
      older: { notifications: [] },
    });
    const { stdout: listed } = await run('sh', ['-c', commandsIn('sh')], inEnvironment());
    expect(JSON.parse(listed)).toMatchObject({
      notifications: [
        { message_body: { title: 'Newer' }, status: 'ARCHIVE' },
        { message_body: { title: 'Older' }, status: 'READ' },
      ],
    });
  });
});
