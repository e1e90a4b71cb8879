import { createResendRuns } from '@belfry/pipeline/operate';
import { newId } from '@belfry/runtime';
import { channelVersion, eventually, type System, startSystem, type Tenant } from '@belfry/testing';

const count = 60;
const perSecond = 50;
const settleMs = 60_000;

let system: System;
let tenant: Tenant;

beforeAll(async () => {
  system = await startSystem({ workers: ['deliver-email,relay'] });
  tenant = await system.factories.createTenant();
}, 120_000);

afterAll(() => system?.stop(), 120_000);

/** Messages that the sandbox refused: enough for a run of two chunks. */
async function createFailed(): Promise<string[]> {
  const event = await system.factories.createEvent(tenant, {
    email: channelVersion({ subject: 'x', html: 'x' }),
  });
  const requestIds: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const user = { email: `sandbox+bounce@example${index}.com` };
    requestIds.push(await system.sendAccepted(tenant, { event: event.name, user, data: {} }));
  }
  const { prisma } = system.database;
  await eventually(
    async () => {
      const failed = await prisma.message.count({
        where: { appId: tenant.appId, state: 'failed' },
      });
      expect(failed).toBe(count);
    },
    { timeoutMs: settleMs },
  );
  return requestIds;
}

async function startRun(): Promise<string> {
  const run = await createResendRuns(system.database.lookUps).start(
    { accountId: tenant.accountId, operatorId: undefined },
    {
      appId: tenant.appId,
      filter: { appId: tenant.appId, states: ['failed'] },
      shown: { state: 'failed' },
      confirmed: count,
      perSecond,
    },
  );
  expect(run?.matched).toBe(count);
  return run?.id ?? newId();
}

const waiting = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Starts a fanout that blocks on the second chunk, and kills it there. */
async function killWithinSecondChunk(resendId: string): Promise<void> {
  const { delivery, prisma } = system.database;
  const messages = await prisma.resendMessage.findMany({
    where: { resendId },
    orderBy: { messageId: 'asc' },
  });
  const holder = await delivery.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(
      'SELECT 1 FROM resend_message WHERE resend_id = $1 AND message_id = $2 FOR UPDATE',
      [resendId, messages.at(-1)?.messageId],
    );
    const fanOut = await system.startWorker('fanout');
    await eventually(
      async () => {
        const { resent } = await prisma.resend.findUniqueOrThrow({ where: { id: resendId } });
        expect(resent).toBe(perSecond);
        expect((await delivery.query(waiting)).rows).toHaveLength(1);
      },
      { timeoutMs: settleMs },
    );
    await fanOut.stop('SIGKILL');
    // Otherwise PostgreSQL would still run its statement, which is not tested here.
    await delivery.query(`SELECT pg_terminate_backend(pid) FROM (${waiting}) w`);
    await holder.query('ROLLBACK');
  } finally {
    holder.release();
  }
}

describe('a resend by filter', () => {
  test('sends each message exactly once more, also when its worker is killed within a chunk', async () => {
    const requestIds = await createFailed();
    const resendId = await startRun();
    await killWithinSecondChunk(resendId);
    const { prisma } = system.database;
    expect(await prisma.message.count({ where: { generation: 1, appId: tenant.appId } })).toBe(
      perSecond,
    );
    await Promise.all([system.startWorker('fanout'), system.startWorker('fanout')]);
    await eventually(
      async () => {
        const run = await prisma.resend.findUniqueOrThrow({ where: { id: resendId } });
        expect(run).toMatchObject({ resent: count, skipped: 0, finishedAt: expect.any(Date) });
        const again = { generation: 1, state: 'failed', requestId: { in: requestIds } };
        expect(await prisma.message.count({ where: again })).toBe(count);
      },
      { timeoutMs: settleMs },
    );
    expect(await prisma.message.count({ where: { appId: tenant.appId } })).toBe(2 * count);
    const remaining = await prisma.resendMessage.count({ where: { resendId, outcome: null } });
    expect(remaining).toBe(0);
    const captures = await prisma.capture.findMany({ where: { appId: tenant.appId } });
    expect(new Set(captures.map(({ target }) => target)).size).toBe(count);
    expect(captures).toHaveLength(2 * count);
  }, 240_000);
});
