import { randomBytes } from 'node:crypto';
import { channelVersion, eventually, type System, startSystem, type Tenant } from '@belfry/testing';

/** The relay counts every 5 s. */
const patience = { timeoutMs: 30_000, intervalMs: 200 };

let system: System;

beforeAll(async () => {
  system = await startSystem();
}, 60_000);

afterAll(() => system.stop(), 60_000);

async function createSender(limitBytes: bigint | null) {
  const tenant = await system.factories.createTenant();
  const data = { storageLimitBytes: limitBytes };
  await system.database.prisma.account.update({ where: { id: tenant.accountId }, data });
  const event = await system.factories.createEvent(tenant, { sms: channelVersion({ text: 'Hi' }) });
  const send = () => {
    const data = { text: randomBytes(75_000).toString('base64') };
    return system.send(tenant, { event: event.name, user: { mobile: '+12025550123' }, data });
  };
  return { tenant, send };
}

const countRequests = ({ accountId }: Tenant) =>
  system.database.prisma.request.count({ where: { accountId } });

test('an account over its quota is refused until its quota is raised, and other accounts are not', async () => {
  const { prisma } = system.database;
  const [small, free] = [await createSender(1_000_000n), await createSender(null)];
  for (let sent = 0; sent < 12; sent += 1) expect((await small.send()).status).toBe(200);
  await eventually(async () => expect((await small.send()).status).toBe(429), patience);
  const stored = await countRequests(small.tenant);
  expect((await small.send()).body).toMatchObject({ code: 'storage_limit' });
  expect(await countRequests(small.tenant)).toBe(stored);
  expect((await free.send()).status).toBe(200);
  const url = (await system.workers[0]?.waitForLine('worker.ready'))?.['url'];
  const metrics = await (await fetch(new URL('/metrics', String(url)))).text();
  expect(metrics).toMatch(/^belfry_storage_full_accounts 1$/m);
  await prisma.account.update({
    where: { id: small.tenant.accountId },
    data: { storageLimitBytes: 100_000_000n },
  });
  await eventually(async () => expect((await small.send()).status).toBe(200), patience);
}, 120_000);
