import { createRequestLog } from '@belfry/pipeline/operate';
import { messageStates } from '@belfry/shared';
import {
  eventually,
  type SimulatedChannels,
  type System,
  startSimulatedChannels,
  startSystem,
  type Tenant,
} from '@belfry/testing';

let simulated: SimulatedChannels;
let system: System;
let tenant: Tenant;
const accepted: { channel: string; target: string }[] = [];

beforeAll(async () => {
  simulated = await startSimulatedChannels();
  for (const [channel, { onAccepted }] of Object.entries(simulated.channels)) {
    onAccepted(({ target }) => accepted.push({ channel, target }));
  }
  system = await startSystem({
    env: {
      ...simulated.env,
      SEND_TIMEOUT_MS: '5000',
      // Short delays, so that five attempts do not take a minute.
      RETRY_BASE_MS: '1',
      RETRY_CAP_MS: '10',
      RELAY_POLL_MS: '50',
    },
  });
  tenant = await system.factories.createTenant({ delivery: 'live' });
}, 120_000);

afterAll(async () => {
  await system.stop();
  await simulated.close();
}, 120_000);

async function sendToAll(number: number): Promise<string> {
  const event = await simulated.createEvent(system.factories, tenant, 'Hello {{name}}');
  const { status, body } = await system.send(tenant, {
    event: event.name,
    user: simulated.user(number),
    data: { name: 'Ana' },
  });
  expect(status).toBe(200);
  return String(body.request_id);
}

/** How often each provider accepted a send to this person. */
function countSends(number: number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(simulated.channels).map(([name, { target }]) => [
      name,
      accepted.filter((send) => send.channel === name && send.target === target(number)).length,
    ]),
  );
}

const once = () => Object.fromEntries(Object.keys(simulated.channels).map((name) => [name, 1]));

async function readStates(requestId: string): Promise<Record<string, string>> {
  const messages = await system.readMessages(requestId);
  return Object.fromEntries(messages.map(({ channel, state }) => [channel, state]));
}

const allSettled = () => ({
  ...Object.fromEntries(Object.keys(simulated.channels).map((name) => [name, 'sent'])),
  in_app: 'delivered',
});

/** The tests run at once: most wait for retries. Each sends to its own person. */
describe('one call to an event with every channel', () => {
  test.concurrent('is accepted once by each provider, and adds one item to the inbox', async () => {
    const requestId = await sendToAll(1);
    await eventually(async () => expect(await readStates(requestId)).toEqual(allSettled()), {
      timeoutMs: 20_000,
    });
    expect(countSends(1)).toEqual(once());
    const items = await system.database.prisma.inboxItem.findMany({
      where: { appId: tenant.appId, userId: 'person-1' },
    });
    expect(items).toMatchObject([{ content: { title: 'Hello Ana' } }]);
  });

  test.concurrent('is one row of the log, with one message on each of its eight channels and none open', async () => {
    const requestId = await sendToAll(2);
    await eventually(async () => expect(await readStates(requestId)).toEqual(allSettled()), {
      timeoutMs: 20_000,
    });
    const log = createRequestLog(system.database.delivery, Object.keys(messageStates));
    const [entry] = await log.readEntries(tenant.appId, [requestId]);
    expect(entry).toMatchObject({ items: 1, plannedItems: 1, skips: {} });
    const states = entry?.messages.map(({ state }) => state).sort();
    expect(states).toEqual(['delivered', ...Array.from({ length: 7 }, () => 'sent')]);
    expect(entry?.messages.map(({ channel }) => channel).sort()).toEqual(
      entry?.channels.toSorted(),
    );
  });

  test.concurrent.each([
    ['sms', 'five', 101],
    ['email', 'five', 102],
    ['slack', 'five', 103],
    ['telegram', 'five', 104],
    // A recipient on WhatsApp may get one message every 6 s, which counts the failed ones.
    ['whatsapp', 'two', 105],
    ['push', 'five', 106],
    ['onesignal', 'five', 107],
  ] as const)(
    'makes one call on each other channel while %s fails %s times',
    async (failing, times, person) => {
      const failures = { two: 2, five: 5 }[times];
      const failingChannel = simulated.channels[failing];
      failingChannel?.throttle(failures, failingChannel.target(person));
      const requestId = await sendToAll(person);
      await eventually(async () => expect(await readStates(requestId)).toEqual(allSettled()), {
        timeoutMs: 40_000,
      });
      const messages = await system.readMessages(requestId);
      for (const { channel, attemptRows } of messages) {
        const attempts = channel === failing ? failures + 1 : 1;
        expect([channel, attemptRows.length]).toEqual([channel, attempts]);
      }
      // Counted by the providers: a requeued message was sent once, and no other message twice.
      expect(countSends(person)).toEqual(once());
    },
    60_000,
  );

  test.concurrent('uses only the channels for which the recipient has an address', async () => {
    const { name } = await simulated.createEvent(system.factories, tenant, 'Hi');
    const { body } = await system.send(tenant, {
      event: name,
      user: { telegram: { chat_id: '7' } },
    });
    const messages = await system.readMessages(String(body.request_id));
    expect(messages.map(({ channel }) => channel)).toEqual(['telegram']);
  });
});
