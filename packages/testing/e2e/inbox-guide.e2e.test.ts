import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@belfry/testing';
import { bundle } from '../../inbox/src/bundle.fixture';
import { testInBrowser } from './dashboard/open-dashboard';
import type { Site } from './inbox/open-site';
import { openSystemSite, type SystemGateway } from './inbox/system-site';

jest.setTimeout(120_000);

const run = promisify(execFile);
const guide = readFileSync(
  path.resolve(__dirname, '../../../docs/how-to/show-an-inbox.md'),
  'utf8',
);
const userId = 'customer-1';
let site: Site<SystemGateway>;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'belfry-guide-'));
  site = await openSystemSite();
  site.addFile('/inbox-token', await createToken());
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await site?.close();
});

/** The code blocks of that language, with the values of this run in place of the placeholders. */
function listBlocks(language: string): string[] {
  return [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , block = '']) =>
      block
        .replace('https://notify.example.com', site.gateway.url)
        .replace('<app id>', site.gateway.appId),
    );
}

/** Runs the backend's code. */
async function createToken(): Promise<string> {
  const file = path.join(folder, 'backend.mjs');
  const [backend = ''] = listBlocks('js');
  writeFileSync(file, `${backend}\nprocess.stdout.write(createInboxToken('${userId}'));\n`);
  const { stdout } = await run(process.execPath, [file], {
    env: {
      BELFRY_APP_ID: site.gateway.appId,
      BELFRY_INBOX_SECRET_ID: site.gateway.secret.id,
      BELFRY_INBOX_SECRET: site.gateway.secret.secret,
    },
  });
  return stdout;
}

describe('docs/how-to/show-an-inbox.md', () => {
  testInBrowser('shows items on a page without a bundler', async () => {
    const [html = ''] = listBlocks('html');
    const [, script = ''] = /<script[^>]*>([\s\S]*)<\/script>/.exec(html) ?? [];
    // The policy of this site allows no script in the page.
    site.addFile('/plain.js', script);
    site.addFile(
      '/plain.html',
      html.replace(script, '').replace('<script', '<script src="plain.js"'),
    );
    await site.gateway.send(userId, 'From the guide');
    const { page, problems } = await site.openPage({ file: 'plain.html' });
    await page.getByRole('button', { name: 'Notifications, New: 1' }).click();
    await page.getByRole('article', { name: /From the guide/ }).waitFor();
    expect(problems).toEqual([]);
  });

  testInBrowser('shows items in a React application', async () => {
    const [code = ''] = listBlocks('jsx');
    const root = `import { createRoot } from 'react-dom/client';
      createRoot(document.querySelector('main')).render(<App />);`;
    site.addFile('/react.js', await bundle(code + root));
    site.addFile(
      '/react.html',
      '<!doctype html><main></main><script type="module" src="react.js"></script>',
    );
    const { page, problems } = await site.openPage({ file: 'react.html' });
    await page.getByRole('heading', { name: 'Orders (1)' }).waitFor();
    await page.getByRole('button', { name: /^Notifications/ }).waitFor();
    expect(problems).toEqual([]);
  });

  testInBrowser('shows items in an interface of its own', async () => {
    const [, code = ''] = listBlocks('js');
    site.addFile('/own.js', await bundle(code));
    site.addFile('/own.html', '<!doctype html><script type="module" src="own.js"></script>');
    const { page, problems } = await site.openPage({ file: 'own.html' });
    await eventually(async () => expect(await page.title()).toBe('1 unread, ready'));
    expect(problems).toEqual([]);
  });
});
