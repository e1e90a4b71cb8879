import {
  type CommandCounter,
  channelVersion,
  createCommandCounter,
  createStatementCounter,
  eventually,
  ownDatabase,
  type StatementCounter,
  type System,
  startSystem,
  type Tenant,
  testRedis,
} from '@belfry/testing';

const messages = 300;

let database: Awaited<ReturnType<typeof ownDatabase>>;
let statements: StatementCounter;
let commands: CommandCounter;
let system: System;
let tenant: Tenant;
let event: string;

beforeAll(async () => {
  database = await ownDatabase();
  statements = await createStatementCounter(database.url);
  commands = await createCommandCounter(testRedis().url);
  system = await startSystem({
    databaseUrl: statements.url,
    redisUrl: commands.url,
    // As in production: apps are cached, not read for each message.
    env: { LOOKUP_CACHE_MS: '5000' },
  });
  tenant = await system.factories.createTenant();
  event = (await system.factories.createEvent(tenant, { in_app: channelVersion({ title: 'Hi' }) }))
    .name;
}, 120_000);

afterAll(async () => {
  await system.stop();
  await statements.close();
  await commands.close();
  await database.drop();
}, 120_000);

async function deliverBulk(): Promise<void> {
  const batch = Array.from({ length: messages }, (_, index) => ({
    user: { user_id: `u-${index}` },
  }));
  const answer = await fetch(`${system.apiUrl}/v1/apps/${tenant.appId}/events/bulk_send`, {
    method: 'POST',
    headers: { Authorization: `AuthKey ${tenant.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ event, batch }),
  });
  expect(answer.status).toBe(200);
  await eventually(
    async () => {
      const { prisma } = system.database;
      const where = { appId: tenant.appId, settledAt: { not: null } };
      expect(await prisma.message.count({ where })).toBe(messages);
    },
    { timeoutMs: 60_000 },
  );
}

describe('messages that wait together', () => {
  test('share jobs, claims and records: counted, not timed', async () => {
    let executedStatements: string[] = [];
    const { commands: sent } = await commands.during(async () => {
      executedStatements = await statements.during(deliverBulk);
    });
    const count = (part: string) => executedStatements.filter((text) => text.includes(part)).length;
    expect(count('INSERT INTO attempt')).toBeGreaterThan(0);
    // Without batching there would be one per message.
    expect(count('INSERT INTO attempt')).toBeLessThanOrEqual(messages / 5);
    expect(count('UPDATE attempt')).toBeLessThanOrEqual(messages / 5);
    expect(count('INSERT INTO capture')).toBeGreaterThan(0);
    expect(count('INSERT INTO capture')).toBeLessThanOrEqual(messages / 5);
    // Nothing blocks them. A verdict is needed only for a job that came twice; those of one flush share it.
    expect(count('WITH due AS')).toBeLessThanOrEqual(messages / 50);
    expect(sent.filter((name) => name === 'EVALSHA').length).toBeLessThanOrEqual(messages / 2);
  }, 120_000);
});
