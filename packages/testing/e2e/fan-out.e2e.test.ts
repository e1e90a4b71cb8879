import { type NewItem, writeRequests } from '@belfry/pipeline/accept';
import { newId } from '@belfry/runtime';
import { channelVersion, eventually, type System, startSystem, type Tenant } from '@belfry/testing';

let system: System;
let tenant: Tenant;

beforeAll(async () => {
  system = await startSystem({
    workers: ['deliver-email,deliver-slack,relay', 'fanout', 'fanout'],
  });
  tenant = await system.factories.createTenant();
}, 120_000);

afterAll(() => system.stop(), 120_000);

const itemCount = 1_200;

/** Every tenth item has no address. */
function newItem(index: number): NewItem {
  return {
    recipient: JSON.stringify(index % 10 === 0 ? {} : { email: `person${index}@example.com` }),
    data: JSON.stringify({ index }),
    override: undefined,
    locale: undefined,
    scheduleAt: undefined,
    plan: undefined,
  };
}

/** Stores a bulk request as the gateway does, without a job, so the relay has to find it. */
async function writeBulk(): Promise<string> {
  const event = await system.factories.createEvent(tenant, {
    email: channelVersion({ subject: 'Number {{index}}', text: 'Number {{index}}' }),
  });
  const id = newId();
  const { accountId, appId } = tenant;
  const items = Array.from({ length: itemCount }, (_, index) => newItem(index));
  const { eventId, versionId } = event;
  await writeRequests(system.database.accepting, [
    {
      request: {
        id,
        accountId,
        appId,
        eventId,
        versionId,
        kind: 'bulk',
        apiKeyId: undefined,
        idempotencyKey: undefined,
      },
      key: undefined,
      items,
    },
  ]);
  return id;
}

describe('a bulk request', () => {
  test('planned by two fanouts at once sends each of its messages exactly once', async () => {
    const requestId = await writeBulk();
    const { prisma } = system.database;
    await eventually(
      async () => {
        const sent = await prisma.message.count({ where: { requestId, state: 'sent' } });
        expect(sent).toBe(itemCount - itemCount / 10);
      },
      { timeoutMs: 60_000, intervalMs: 250 },
    );
    const request = await prisma.request.findUniqueOrThrow({ where: { id: requestId } });
    expect(request).toMatchObject({ items: itemCount, plannedItems: itemCount });
    const attempts = await prisma.attempt.count({ where: { message: { requestId } } });
    expect(attempts).toBe(itemCount - itemCount / 10);
    const captures = await prisma.capture.findMany({ where: { appId: tenant.appId } });
    expect(new Set(captures.map(({ target }) => target)).size).toBe(captures.length);
    const skipped = await prisma.requestItem.findFirstOrThrow({ where: { requestId, item: 10 } });
    expect(skipped.skips).toMatchObject({ email: { reason: 'no_address' } });
  }, 90_000);
});
