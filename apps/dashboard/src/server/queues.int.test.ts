import { claimMessages } from '@belfry/pipeline/deliver';
import { channelVersion } from '@belfry/testing';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

afterAll(() => dashboard.close());

async function send(): Promise<{ messageId: string; requestId: string }> {
  const { tenant, factories, call } = dashboard;
  const channels = { email: channelVersion({ subject: 'x', html: 'x' }) };
  const { eventId } = await factories.createEvent(tenant, channels);
  const tested = await call('post', `apps/${tenant.appId}/events/${eventId}/test`, {
    definition: { defaultLocale: 'en', missing: 'empty', isSensitive: false, channels },
    user: { email: 'ana@example.com' },
    data: {},
    delivery: 'sandbox',
  });
  const { requestId } = tested.body;
  const { rows } = await dashboard.database.lookUps.query<{ id: string }>(
    'SELECT id FROM message WHERE request_id = $1',
    [requestId],
  );
  return { requestId, messageId: rows[0]?.id ?? '' };
}

describe('the queues', () => {
  test('show waiting messages and that no worker serves them', async () => {
    const { tenant, call } = dashboard;
    await send();
    const { body } = await call('get', `queues?app=${tenant.appId}`);
    const email = body.channels.find(({ channel }: { channel: string }) => channel === 'email');
    expect(email).toMatchObject({
      queued: { messages: 1 },
      sending: { messages: 0 },
      workers: [],
      isPaused: false,
    });
    expect(email.sentence).toMatch(/^1 message waits in PostgreSQL; none is lost\. No worker/);
    expect(body.stores).toMatchObject({
      postgres: { isUp: true },
      redis: { isUp: false },
      gateway: { isUp: false },
    });
    expect(body.stores.sentence).toMatch(/Nothing is lost\.$/);
  });

  test('keep the messages of a paused channel and send them after it is resumed', async () => {
    const { tenant, call, database } = dashboard;
    const { messageId } = await send();
    const claim = () =>
      claimMessages(database.delivery, { ids: [messageId], worker: 'test', leaseMs: 20_000 });
    const at = `apps/${tenant.appId}/channels/email`;
    expect((await call('post', `${at}/pause`)).body).toMatchObject({ isPaused: true });
    expect(await claim()).toEqual([{ kind: 'settled', state: 'queued', reason: 'paused' }]);
    const { body } = await call('get', `queues?app=${tenant.appId}`);
    const email = body.channels.find(({ channel }: { channel: string }) => channel === 'email');
    expect(email).toMatchObject({ isPaused: true, pausedBy: dashboard.email });
    // One of them was never looked at by a worker.
    expect(email.reasons).toMatchObject({ paused: { messages: 2 }, due: { messages: 0 } });
    expect(email.sentence).toMatch(/^2 messages wait in PostgreSQL; none is lost\./);
    await call('post', `${at}/resume`);
    expect(await claim()).toMatchObject([{ kind: 'claimed', message: { id: messageId } }]);
  });

  test('count the messages that are tried again, with the time of the next try', async () => {
    const { tenant, call, database } = dashboard;
    const soon = Date.now() + 60_000;
    for (const ms of [soon + 60_000, soon, soon + 30_000]) {
      const { messageId: id } = await send();
      const data = { waits: 'retry', dueAt: new Date(ms) };
      await database.prisma.message.update({ where: { id }, data });
    }
    const { body } = await call('get', `queues?app=${tenant.appId}`);
    expect(body.total.reasons.retry).toMatchObject({ messages: 3, nextDueAt: soon });
    await database.prisma.message.deleteMany({ where: { appId: tenant.appId, waits: 'retry' } });
  });

  test('count the messages that a worker could not send yet, and name an open circuit', async () => {
    const { tenant, call, database } = dashboard;
    const dueAt = new Date(Date.now() + 30_000);
    for (const waits of ['circuit', 'circuit', 'limit', 'connections']) {
      const { messageId: id } = await send();
      await database.prisma.message.update({ where: { id }, data: { waits, dueAt } });
    }
    const { messageId: id } = await send();
    // Due again: it waits for a worker only.
    await database.prisma.message.update({ where: { id }, data: { waits: 'circuit' } });
    const worker = {
      id: 'a worker',
      roles: ['deliver-email'],
      version: '0',
      startedAt: new Date(),
    };
    await database.prisma.workerHeartbeat.create({ data: worker });
    const { body } = await call('get', `queues?app=${tenant.appId}`);
    await database.prisma.workerHeartbeat.delete({ where: { id: worker.id } });
    const email = body.channels.find(({ channel }: { channel: string }) => channel === 'email');
    expect(email).toMatchObject({
      reasons: { circuit: { messages: 2 }, limit: { messages: 1 }, connections: { messages: 1 } },
      sentence: expect.stringMatching(/^2 messages wait for an integration that does not answer;/),
    });
  });
});
