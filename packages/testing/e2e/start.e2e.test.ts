import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { createDatabase } from '@belfry/database';
import { hasEnded } from '@belfry/embedded';
import { createLogger } from '@belfry/runtime';
import {
  chromiumArgs,
  chromiumPath,
  createWorkspaceCopy,
  eventually,
  isFullRun,
} from '@belfry/testing';
import { chromium } from 'playwright-core';
import { testInBrowser } from './dashboard/open-dashboard';

const run = promisify(execFile);
const timeoutMs = 240_000;
const endTimeoutMs = 5_000;

let copy: string;
let started: Started[] = [];

beforeAll(() => {
  copy = createWorkspaceCopy({ build: !isFullRun() });
  // Without it, `npm start` must compile.
  rmSync(path.join(copy, 'apps/local/dist'), { recursive: true, force: true });
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

async function endAll(): Promise<void> {
  await Promise.all(started.map(({ child }) => end(child, 'SIGTERM')));
  started = [];
}

type Started = { child: ChildProcess; output(): string };

type Ready = {
  api_url: string;
  demo_url: string;
  api_key: string;
  app_id: string;
  event: string;
  database_url: string;
  redis_url: string;
  pids: Record<string, number>;
};

function start(args: string[] = [], env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, ['scripts/start.mjs', ...args], {
    cwd: copy,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      API_PORT: '0',
      DASHBOARD_PORT: '0',
      DEMO_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  const instance = { child, output: () => text };
  started.push(instance);
  return instance;
}

const readyFile = () => path.join(copy, '.belfry', 'ready.json');

/** Repeats an assertion until it holds, but not after the instance has ended. */
async function waitUntil({ child, output }: Started, assertion: () => void): Promise<void> {
  await eventually(() => child.exitCode ?? assertion(), { timeoutMs: 120_000, intervalMs: 100 });
  if (child.exitCode !== null) throw new Error(`It ended:\n${output()}`);
}

async function waitUntilReady(instance: Started): Promise<Ready> {
  await waitUntil(instance, () => expect(existsSync(readyFile())).toBe(true));
  return JSON.parse(readFileSync(readyFile(), 'utf8'));
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
  return child.exitCode;
}

/** Creates the data folders. */
async function startOnce(): Promise<void> {
  const instance = start();
  await waitUntilReady(instance);
  await end(instance.child, 'SIGTERM');
}

/** Lists processes that still run; zombies are left out. */
async function stillRunning(pids: number[]): Promise<number[]> {
  const ended = await Promise.all(pids.map((pid) => hasEnded(pid, endTimeoutMs)));
  return pids.filter((_, index) => !ended[index]);
}

async function readCaptures(url: string, requestId: string) {
  const log = createLogger({ level: 'error', process: 'test' });
  const database = createDatabase({ url, poolSize: 2, log });
  try {
    const messages = await database.prisma.message.findMany({ where: { requestId } });
    const ids = messages.map(({ id }) => id);
    return await database.prisma.capture.findMany({ where: { messageId: { in: ids } } });
  } finally {
    await database.close();
  }
}

/** Returns 0 if the server has removed the file meanwhile. */
function getMode(place: string): number {
  return statSync(place, { throwIfNoEntry: false })?.mode ?? 0;
}

function listTree(place: string): string[] {
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) return [place];
  return [place, ...readdirSync(place).flatMap((name) => listTree(path.join(place, name)))];
}

/** The command line of each process on this machine. Every user can read it. */
async function listCommands(): Promise<string> {
  const { stdout } = await run('ps', ['-eo', 'args'], { maxBuffer: 10_000_000 });
  return stdout;
}

/** Runs the printed curl command, as a user who pastes it would. */
async function pasteCurl({ output }: Started): Promise<{ request_id: string; success: boolean }> {
  // The terminal output reaches the test slightly after the ready file.
  const line = await eventually(() => {
    const curlLine = output()
      .split('\n')
      .find((each) => each.startsWith('curl '));
    return curlLine ?? Promise.reject(new Error(`No curl line:\n${output()}`));
  });
  const { stdout } = await run('bash', ['-c', line]);
  return JSON.parse(stdout);
}

/** The first block of that language in a document, with the values of this run in place of the placeholders. */
function readExample(document: string, language: string, ready: Ready): string {
  const text = readFileSync(path.join(copy, document), 'utf8');
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const example = blocks.find(
    ([, name, block = '']) => name === language && block.includes('<API key>'),
  );
  return (example?.[2] ?? '')
    .replace('http://127.0.0.1:4400', new URL(ready.api_url).origin)
    .replace('<API key>', ready.api_key)
    .replace('<app id>', ready.app_id);
}

/** Runs the examples of the README and the tutorial as a new user would. */
async function runExamples(ready: Ready): Promise<{ request_id: string; success: boolean }[]> {
  const script = path.join(copy, 'try-it.mjs');
  writeFileSync(script, readExample('docs/tutorial.md', 'js', ready));
  const [curl, client] = await Promise.all([
    run('bash', ['-c', readExample('README.md', '', ready) || 'exit 1']),
    run(process.execPath, [script], { cwd: copy }),
  ]);
  return [JSON.parse(curl.stdout), JSON.parse(client.stdout)];
}

/** Sends an event on the page of the demo, and returns the title of the item that arrives. */
async function tryDemo({ demo_url: url }: Ready): Promise<string | null> {
  const browser = await chromium.launch({
    ...(chromiumPath ? { executablePath: chromiumPath } : {}),
    args: chromiumArgs,
  });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByRole('main').getByText('No notifications').waitFor();
    await page.getByRole('button', { name: /^Send/ }).click();
    return await page.getByRole('article').getByRole('heading').textContent({ timeout: 60_000 });
  } finally {
    await browser.close();
  }
}

/** Each test continues with what the one before it left. */
describe('npm start', () => {
  let instance: Started;
  let ready: Ready;
  let pids: number[];

  beforeAll(async () => {
    instance = start();
    ready = await waitUntilReady(instance);
  }, timeoutMs);

  afterAll(endAll, timeoutMs);

  test(
    'prints a curl command that works when pasted, as the examples of the README and the tutorial do; the message is shown and captured',
    async () => {
      expect(statSync(readyFile()).mode & 0o777).toBe(0o600);
      const answer = await pasteCurl(instance);
      expect(answer.success).toBe(true);
      await eventually(() => {
        expect(instance.output()).toContain(answer.request_id);
        expect(instance.output()).toMatch(/email +a\*\*\*@example\.com +sent +sandbox/);
      });
      expect(await readCaptures(ready.database_url, answer.request_id)).toMatchObject([
        { channel: 'email', target: 'ana@example.com', outcome: 'accepted' },
      ]);
      for (const { request_id: requestId } of await runExamples(ready)) {
        await eventually(async () =>
          expect(await readCaptures(ready.database_url, requestId)).toMatchObject([
            { channel: 'email', target: 'ana@example.com', outcome: 'accepted' },
          ]),
        );
      }
    },
    timeoutMs,
  );

  testInBrowser(
    'serves a page on which an event arrives in an inbox',
    async () => {
      expect(await tryDemo(ready)).toBe('Order A-1001 is on its way');
    },
    timeoutMs,
  );

  test(
    'protects its files and the passwords of its stores from all other users of this machine',
    async () => {
      const { database_url, redis_url } = ready;
      await pasteCurl(instance);
      const home = path.join(copy, '.belfry');
      // The npm Redis package, if this machine had none. The account of the servers runs it.
      const cache = path.join(home, 'cache');
      const places = listTree(home).filter((place) => !place.startsWith(cache));
      // As root, the account of the servers may traverse the folder itself.
      const canRead = (place: string) => (getMode(place) & 0o066) !== 0;
      expect(places.filter(canRead)).toEqual([]);
      expect(places.slice(1).filter((place) => (getMode(place) & 0o077) !== 0)).toEqual([]);

      const logs = places.filter((place) => place.endsWith('.log'));
      expect(logs.length).toBeGreaterThan(4);
      const texts = [
        instance.output(),
        await listCommands(),
        ...logs.map((log) => readFileSync(log, 'utf8')),
      ];
      for (const url of [database_url, redis_url]) {
        const { password } = new URL(url);
        expect(password).toMatch(/^[0-9a-f]{48}$/);
        expect(texts.filter((text) => text.includes(password))).toEqual([]);
      }
    },
    timeoutMs,
  );

  test(
    'restarts after it was killed, with one process per role, the same key and the same data',
    async () => {
      const before = ready;
      const { request_id: requestId } = await pasteCurl(instance);
      await end(instance.child, 'SIGKILL');
      instance = start(['--processes']);
      await waitUntil(instance, () => expect(instance.output()).toContain('curl '));
      ready = await waitUntilReady(instance);
      pids = [...Object.values(before.pids), ...Object.values(ready.pids)];
      expect(ready).toMatchObject({ api_key: before.api_key, app_id: before.app_id });
      expect(Object.keys(ready.pids)).toEqual(
        expect.arrayContaining([
          'deliver-email',
          'deliver-slack',
          'deliver-telegram',
          'deliver-push',
          'deliver-onesignal',
          'fanout',
          'relay',
          'webhooks',
          'api',
        ]),
      );
      const { request_id: again } = await pasteCurl(instance);
      for (const id of [requestId, again]) {
        await eventually(async () =>
          expect(await readCaptures(ready.database_url, id)).toHaveLength(1),
        );
      }
    },
    timeoutMs,
  );

  test(
    'ends everything on Ctrl-C, and nothing of the killed run is left',
    async () => {
      expect(await end(instance.child, 'SIGINT')).toBe(0);
      expect(await stillRunning(pids)).toEqual([]);
      expect(existsSync(readyFile())).toBe(false);
    },
    timeoutMs,
  );
});

describe('npm start with a problem', () => {
  afterEach(endAll, timeoutMs);

  test(
    'refuses an unusable folder, prints the command that resets it, and exits with 78',
    async () => {
      const folder = path.join(copy, '.belfry', 'postgres');
      const file = path.join(folder, 'data', 'PG_VERSION');
      if (!existsSync(file)) await startOnce();
      const version = readFileSync(file);
      writeFileSync(file, '9\n');
      const instance = start();
      await once(instance.child, 'exit');
      writeFileSync(file, version);
      expect(instance.child.exitCode).toBe(78);
      expect(instance.output()).toContain(`was created by PostgreSQL 9`);
      expect(instance.output()).toContain(`rm -rf ${folder}`);
      expect(instance.output()).not.toContain('    at ');
    },
    timeoutMs,
  );

  test(
    'names a taken port and the variable that changes it',
    async () => {
      const portHolder = createServer().listen(0, '127.0.0.1');
      await once(portHolder, 'listening');
      // A server that listens on a port has an address with one.
      const { port } = portHolder.address() as AddressInfo;
      const instance = start([], { API_PORT: String(port) });
      await once(instance.child, 'exit');
      portHolder.close();
      expect(instance.child.exitCode).not.toBe(0);
      expect(instance.output()).toContain(`Port ${port}`);
      expect(instance.output()).toContain('API_PORT=');
    },
    timeoutMs,
  );
});
