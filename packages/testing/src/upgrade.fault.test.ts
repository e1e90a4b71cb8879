import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  createHttpSimulator,
  createSlackSimulator,
  eventually,
  type OwnStore,
  ownPostgres,
  ownRedis,
  readShellBlocks,
  type SlackSimulator,
  type System,
  startProcess,
  startSystem,
  type TestProcess,
  testEnvironment,
} from '@belfry/testing';
import type { LogLine } from './child-process';
import { query } from './debian-postgres';
import { repositoryRoot } from './test-stores';
import { type Accepted, type App, startLoad } from './upgrade-load.fixture';
import { buildVersionBefore, type VersionBefore } from './version-before';

/*
 * While both versions have the same code, these tests only show that two sets of processes share the stores. They can fail as
 * soon as a change alters what the versions exchange: jobs, locks and limits in Redis, rows and states in PostgreSQL.
 */

// Minutes on a busy machine: the version before is built first.
jest.setTimeout(900_000);

const run = promisify(execFile);
const blocks = readShellBlocks('docs/how-to/upgrade.md');
/** A message is often waiting for one version while the other one is being started or stopped. */
const providerDelayMs = 100;

let before: VersionBefore;
let postgres: OwnStore;
let redis: OwnStore;
let slack: SlackSimulator;
let webhooks: Awaited<ReturnType<typeof startWebhookReceiver>>;
let env: Record<string, string>;
const started: { stop(): Promise<unknown> }[] = [];

beforeAll(async () => {
  before = await buildVersionBefore();
}, 1_200_000);
afterAll(() => before?.remove());

beforeEach(async () => {
  [postgres, redis] = await Promise.all([ownPostgres(), ownRedis()]);
  slack = await createSlackSimulator();
  slack.delayEach(() => providerDelayMs);
  webhooks = await startWebhookReceiver();
  env = await testEnvironment({
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    env: {
      SLACK_API_URL: slack.url,
      SLACK_TOKEN: 'xoxb-1111-2222-integration',
      WEBHOOK_URL: webhooks.url,
    },
  });
  await before.belfry(['migrate'], env);
}, 120_000);

afterEach(async () => {
  await Promise.all(started.splice(0).map((each) => each.stop()));
  await Promise.all([slack.close(), webhooks.close(), postgres.remove(), redis.remove()]);
}, 120_000);

/** Receives webhooks; records the message of each `message.sent`. */
async function startWebhookReceiver() {
  return createHttpSimulator<string>({
    handle({ body }) {
      const { type, data } = JSON.parse(body.toString('utf8'));
      const reply = { status: 204, body: '' };
      return type === 'message.sent' ? { reply, send: String(data.message_id) } : { reply };
    },
  });
}

async function startVersion(root: string): Promise<System> {
  const system = await startSystem({
    ...{ root, env, workers: ['all'] },
    databaseUrl: postgres.url,
    redisUrl: redis.url,
  });
  started.push(system);
  return system;
}

/** Runs a block of the how-to in this version's checkout. */
async function runBlock(heading: string): Promise<void> {
  const args = ['-euo', 'pipefail', '-c', String(blocks.get(heading))];
  const options = { cwd: repositoryRoot, env: { ...process.env, ...env } };
  await run('bash', args, options).catch((cause: Error & { stdout?: string }) => {
    throw new Error(`"${heading}" failed: ${cause.message}\n${cause.stdout}`, { cause });
  });
}

/** Creates an app with the commands of the version before: this version may not know its schema. */
async function createApp(): Promise<App> {
  const created = await before.belfry(['account', 'create', 'Upgrade'], env);
  const [, appId = ''] = /^app +(\S+)/m.exec(created) ?? [];
  const [, apiKey = ''] = /^API key +(\S+)/m.exec(created) ?? [];
  await before.belfry(['app', 'set', appId, 'delivery', 'live'], env);
  const folder = mkdtempSync(path.join(tmpdir(), 'belfry-upgrade-'));
  try {
    for (const [file, content] of Object.entries(configuration)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), content);
    }
    await before.belfry(['config', 'push', folder, appId, '--overwrite'], env);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { appId, apiKey };
}

const configuration = {
  'app.json': '{}',
  'integrations/Slack.json': JSON.stringify({
    ...{ channel: 'slack', provider: 'slack', settings: {} },
    credentials: { access_token: { env: 'SLACK_TOKEN' } },
  }),
  'events/hello/event.json': JSON.stringify({ channels: { slack: { integrations: ['Slack'] } } }),
  'events/hello/slack.en.txt': 'Hello\n',
  'webhooks.json': JSON.stringify([
    { url: { env: 'WEBHOOK_URL' }, types: ['message.sent'], description: '', enabled: true },
  ]),
};

type SentMessage = { id: string; requestId: string; state: string; workers: string[] };

const readMessages = () =>
  query<SentMessage>(
    postgres.url,
    `SELECT m.id, m.request_id AS "requestId", m.state,
            array(SELECT a.worker FROM attempt a WHERE a.message_id = m.id) AS workers
       FROM message m`,
  );

/** Waits until every message that was accepted is sent. */
function waitUntilSent(accepted: readonly Accepted[]): Promise<SentMessage[]> {
  const expected = accepted.reduce((total, { messages }) => total + messages, 0);
  return eventually(
    async () => {
      const messages = await readMessages();
      expect(messages.filter(({ state }) => state === 'sent')).toHaveLength(expected);
      expect(messages).toHaveLength(expected);
      return messages;
    },
    { timeoutMs: 120_000, intervalMs: 500 },
  );
}

async function expectAcceptedOnce(accepted: readonly Accepted[]): Promise<void> {
  expect(accepted.filter(({ ids }) => ids.size !== 1)).toEqual([]);
  const stored = await query<{ id: string }>(postgres.url, 'SELECT id FROM request');
  const ids = accepted.flatMap((each) => [...each.ids]);
  expect(stored.map(({ id }) => id).sort()).toEqual(ids.sort());
}

async function expectSentOnce(messages: readonly SentMessage[]): Promise<void> {
  const calls = new Map<string, number>();
  for (const { messageId = '' } of slack.sends) {
    calls.set(messageId, (calls.get(messageId) ?? 0) + 1);
  }
  expect(messages.filter(({ id }) => calls.get(id) !== 1)).toEqual([]);
  await eventually(
    () => {
      const reported = new Set(webhooks.sends);
      expect(messages.filter(({ id }) => !reported.has(id))).toEqual([]);
    },
    { timeoutMs: 60_000, intervalMs: 500 },
  );
}

/** Each version sent messages that the other one accepted. */
function expectExchanged(
  versions: readonly System[],
  accepted: readonly Accepted[],
  messages: readonly SentMessage[],
): void {
  const gateways = new Map(
    accepted.flatMap(({ ids, gateway }) => [...ids].map((id) => [id, gateway])),
  );
  for (const { apiUrl } of versions) {
    const own = messages.filter(({ requestId }) => gateways.get(requestId) === apiUrl);
    for (const { workers } of versions) {
      const isByVersion = (name: string) => workers.some(({ pid }) => name.endsWith(`:${pid}`));
      expect(own.filter((message) => message.workers.some(isByVersion)).length).toBeGreaterThan(10);
    }
  }
}

/** On a busy machine a job may get no connection in time. No statement was sent, and the job is repeated. */
function isPoolTimeout({ message, error }: LogLine): boolean {
  const { name } = (error ?? {}) as { name?: string };
  return message === 'job.failed' && name === 'NotConnectedError';
}

const listProcesses = ({ api, workers }: System): TestProcess[] => [api, ...workers];

describe('the version before and this one', () => {
  test('run side by side under load: each key is accepted once, and each message is sent once', async () => {
    const old = await startVersion(before.root);
    const gateways = [old.apiUrl];
    const load = startLoad({ app: await createApp(), gateways, slack });
    let current: System;
    try {
      await load.waitForMore();
      await runBlock('Migrate the database');
      await load.waitForMore();
      current = await startVersion(repositoryRoot);
      gateways.push(current.apiUrl);
      await load.waitForMore();
      await load.leave(old.apiUrl);
      const codes = await Promise.all(listProcesses(old).map((each) => each.stop()));
      expect(codes).toEqual([0, 0]);
      await load.waitForMore();
    } finally {
      await load.end();
    }
    const messages = await waitUntilSent(load.accepted);
    process.stdout.write(`${load.accepted.length} keys, ${messages.length} messages.\n`);
    await expectAcceptedOnce(load.accepted);
    await expectSentOnce(messages);
    expectExchanged([old, current], load.accepted, messages);
    await runBlock('Check');
    const lines = [old, current].flatMap(listProcesses).flatMap((each) => each.lines);
    const errors = lines.filter(({ level }) => level === 'error');
    expect(errors.filter((line) => !isPoolTimeout(line))).toEqual([]);
  });
});

describe.each(['apps/api/dist/main.js', 'apps/worker/dist/main.js'])(
  '%s of the version before',
  (program) => {
    test('does not start on the schema of a newer version: it exits with 78 and names the migration', async () => {
      await runBlock('Migrate the database');
      // This version may have no migration that the version before lacks.
      const name = '99991231000000_come_later';
      await query(
        postgres.url,
        `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at)
         VALUES ('later', '', '${name}', now())`,
      );
      const child = startProcess(program, env, { root: before.root });
      started.push(child);
      expect(await child.waitForEnd()).toBe(78);
      expect(child.output.join('\n')).toContain(name);
    });
  },
);
