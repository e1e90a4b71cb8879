import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { startProcess, type TestProcess, testEnvironment } from '@belfry/testing';
import { parse } from 'yaml';

const root = path.resolve(__dirname, '../../..');
const { services } = parse(readFileSync(path.join(root, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as { services: Record<string, { command: string[]; environment: Record<string, string> }> };
const dockerfile = readFileSync(path.join(root, 'Dockerfile'), 'utf8');

/** The Node that runs this test, and the image's Node if it was fetched. */
const nodes = new Set([process.execPath, process.env['TEST_IMAGE_NODE'] ?? process.execPath]);

const commands: [string, string[]][] = [
  ['the image', JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]')],
  ...Object.entries(services).flatMap(([name, { command }]): [string, string[]][] =>
    command[0] === 'node' ? [[name, command]] : [],
  ),
];
/** Several workers share one command. */
const different = [...new Map(commands.map((each) => [each[1].join(' '), each])).values()];

const running: TestProcess[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop('SIGKILL')));
});

async function start(node: string, [, ...args]: string[]): Promise<TestProcess> {
  const entryAt = args.findIndex((each) => each.startsWith('apps/'));
  const env = {
    ...(await testEnvironment()),
    WORKER_ROLES: 'relay',
    DASHBOARD_PORT: '0',
    NODE_ENV: 'production',
  };
  const [entry = '', ...entryArgs] = args.slice(entryAt);
  const started = startProcess(entry, env, {
    node,
    nodeOptions: args.slice(0, entryAt),
    entryArgs,
  });
  running.push(started);
  return started;
}

test('a program that a test starts by name runs on the Node of the test', () => {
  expect(execFileSync('node', ['--version'], { encoding: 'utf8' }).trim()).toBe(process.version);
});

describe.each([...nodes])('%s', (node) => {
  test.each(different)('runs the command of %s', async (_name, command) => {
    const started = await start(node, command);
    if (command.includes('migrate')) {
      expect(await started.waitForEnd()).toBe(0);
      return;
    }
    const app = /apps\/(\w+)\//.exec(command.join(' '))?.[1];
    await Promise.race([started.waitForLine(`${app}.ready`), started.ended]);
    expect(started.output.join('\n')).toContain(`"${app}.ready"`);
    expect(await started.stop()).toBe(0);
  });
});

test.each([
  ['api', 'API_PORT'],
  ['api', 'METRICS_PORT'],
  ['worker', 'WORKER_PORT'],
  ['dashboard', 'DASHBOARD_PORT'],
])('a taken port ends %s with status 78 and names %s', async (app, setting) => {
  const holder = net.createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as net.AddressInfo;
  const env = { ...(await testEnvironment()), WORKER_ROLES: 'relay', DASHBOARD_PORT: '0' };
  const file = app === 'dashboard' ? 'dist/server/main.js' : 'dist/main.js';
  const started = startProcess(`apps/${app}/${file}`, { ...env, [setting]: String(port) });
  running.push(started);
  expect(await started.waitForEnd()).toBe(78);
  expect(started.output.join('\n')).toMatch(new RegExp(`${setting}\\b.*cannot listen`));
  holder.close();
});
