import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Demo, seedDemo } from '@belfry/database';
import { type System, startSystem, testSecrets } from '@belfry/testing';

jest.setTimeout(120_000);

const run = promisify(execFile);
const root = path.resolve(__dirname, '../../..');
const text = readFileSync(path.join(root, 'docs/how-to/test-your-service.md'), 'utf8');

let system: System;
let demo: Demo;
let dir: string;

beforeAll(async () => {
  // The account, app and events that `npm start` creates.
  system = await startSystem();
  demo = await seedDemo({ pool: system.database.lookUps, secrets: testSecrets() });
  dir = mkdtempSync(path.join(tmpdir(), 'belfry-testing-'));
  symlinkSync(path.join(root, 'node_modules'), path.join(dir, 'node_modules'));
});

afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await system.stop();
});

/** The code blocks of that language in the document. */
function listBlocks(language: string): string[] {
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , block = '']) => block);
}

function environment(): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    BELFRY_URL: new URL(system.apiUrl).origin,
    BELFRY_API_KEY: demo.apiKey,
    BELFRY_APP_ID: demo.appId,
  };
}

async function runTests(code: string): Promise<{ exitCode: unknown; output: string }> {
  const file = path.join(dir, 'orders.test.mjs');
  writeFileSync(file, code);
  const options = { cwd: dir, env: environment() };
  try {
    const { stdout } = await run(
      process.execPath,
      ['--test', '--test-reporter=tap', file],
      options,
    );
    return { exitCode: 0, output: stdout };
  } catch (error) {
    const { code: exitCode, stdout } = error as { code: unknown; stdout: string };
    return { exitCode, output: stdout };
  }
}

describe('docs/how-to/test-your-service.md', () => {
  test('contains tests that pass unchanged, and a shell line that works', async () => {
    const { exitCode, output } = await runTests(listBlocks('js').join('\n'));
    expect([exitCode, output]).toEqual([0, expect.stringContaining('# pass 3')]);
    const [line = 'exit 1'] = listBlocks('sh');
    const { stdout } = await run('bash', ['-c', line], { env: environment() });
    expect(JSON.parse(stdout)).toMatchObject({
      messages: [{ channel: 'email', to: 'ana@example.com', event: 'order_shipped' }],
    });
  });

  test('contains tests that fail when the message text differs', async () => {
    const failingTests = listBlocks('js').join('\n').replace('/Hello Ana/', '/Hello Bob/');
    const { exitCode, output } = await runTests(failingTests);
    expect([exitCode, output]).toEqual([1, expect.stringContaining('# fail 1')]);
  });

  test('keeps the test within the promised ten lines', () => {
    const section = text.split('## A test in ten lines')[1] ?? '';
    const [, block = ''] = /```js\n([\s\S]*?)```/.exec(section) ?? [];
    expect(block.trimEnd().split('\n')).toHaveLength(10);
  });
});
