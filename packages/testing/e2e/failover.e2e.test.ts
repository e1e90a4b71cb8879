import { markActive } from '@belfry/database';
import { readFailovers } from '@belfry/pipeline/operate';
import type { Policy } from '@belfry/shared';
import {
  channelVersion,
  createTwilioSimulator,
  eventually,
  type MessageRow,
  type System,
  simulatedAuthToken,
  startSystem,
  type Tenant,
  type TwilioSimulator,
} from '@belfry/testing';

const refusedAccounts = new Set<string>();
let twilio: TwilioSimulator;
let system: System;
let tenant: Tenant;
let accounts = 0;
let phones = 0;

beforeAll(async () => {
  twilio = await createTwilioSimulator({ refusedAccounts });
  system = await startSystem({ env: { TWILIO_API_URL: twilio.url, SEND_TIMEOUT_MS: '2000' } });
  tenant = await system.factories.createTenant({ delivery: 'live' });
  // The first call loads the provider's library, and can exceed its deadline on a busy machine.
  const { send } = await createChain({ onUnknown: 'hold' });
  await system.settled(await send(), ['sent'], 30_000).catch(() => undefined);
}, 120_000);

afterAll(async () => {
  await system.stop();
  await twilio.close();
}, 120_000);

type Link = { id: string; accountSid: string; messages: string };
type Chain = { first: Link; second: Link; send(): Promise<string> };

async function createLink(): Promise<Link> {
  accounts += 1;
  const accountSid = `AC${String(accounts).padStart(32, '0')}`;
  const { id } = await system.factories.createIntegration(tenant, {
    channel: 'sms',
    provider: 'twilio',
    settings: { sender: '+15005550009' },
    credentials: { account_sid: accountSid, auth_token: simulatedAuthToken },
  });
  return { id, accountSid, messages: `/Accounts/${accountSid}/Messages.json` };
}

/** Publishes an event with two integrations, each with its own simulator account. */
async function createChain(policy: Partial<Policy> = {}): Promise<Chain> {
  const [first, second] = [await createLink(), await createLink()];
  const integrationIds = [first.id, second.id];
  const version = channelVersion({ text: 'Hi' }, { integrationIds, policy });
  const { name } = await system.factories.createEvent(tenant, { sms: version });
  return {
    first,
    second,
    send() {
      phones += 1;
      const mobile = `+45${20_100_000 + phones}`;
      return system.sendAccepted(tenant, { event: name, user: { mobile } });
    },
  };
}

async function settled(requestId: string, state = 'sent'): Promise<MessageRow> {
  const [message] = await system.settled(requestId, [state], 30_000);
  if (!message) throw new Error('No message');
  return message;
}

/** Lists the integration and the outcome of each attempt. */
function describePath({ attemptRows }: MessageRow, { first }: Chain): string[] {
  return attemptRows.map(
    ({ integrationId, outcome }) => `${integrationId === first.id ? 'first' : 'second'} ${outcome}`,
  );
}

describe('a chain of two integrations', () => {
  test('sends everything by the second when the first refuses its credentials, and each message records why', async () => {
    const chain = await createChain();
    refusedAccounts.add(chain.first.accountSid);
    const sendSome = async () => {
      const requests = await Promise.all(Array.from({ length: 10 }, () => chain.send()));
      return Promise.all(requests.map((id) => settled(id)));
    };
    const messages = [...(await sendSome()), ...(await sendSome())];
    const paths = messages.map((message) => describePath(message, chain));
    expect(new Set(paths.map((path) => path.at(-1)))).toEqual(new Set(['second accepted']));
    const isTried = (_: MessageRow, at: number) => paths[at]?.includes('first rejected') === true;
    expect(messages.filter(isTried).length).toBeGreaterThan(0);
    const others = messages.filter((message, at) => !isTried(message, at));
    expect(others.length).toBeGreaterThanOrEqual(10);
    for (const { notes } of others) {
      expect(readFailovers(notes)).toMatchObject([{ reason: 'needs_attention' }]);
    }
    const byFirst = twilio.sends.filter(({ accountSid }) => accountSid === chain.first.accountSid);
    const bySecond = twilio.sends.filter(
      ({ accountSid }) => accountSid === chain.second.accountSid,
    );
    expect([byFirst.length, bySecond.length]).toEqual([0, messages.length]);
  });

  test('waits for an operator when both refuse, and continues when one is fixed', async () => {
    const chain = await createChain();
    for (const { accountSid } of [chain.first, chain.second]) refusedAccounts.add(accountSid);
    const requestId = await chain.send();
    await eventually(() => expectWaiting(requestId), { timeoutMs: 15_000 });
    refusedAccounts.delete(chain.second.accountSid);
    const { id } = chain.second;
    const { integration } = system.database.prisma;
    const { updatedAt } = await integration.findUniqueOrThrow({ where: { id } });
    await markActive(system.database.delivery, { integrationId: id, updatedAt });
    const message = await settled(requestId);
    expect(message.integrationId).toBe(id);
  });

  async function expectWaiting(requestId: string): Promise<void> {
    const [message] = await system.readMessages(requestId);
    expect(message).toMatchObject({ state: 'queued', waits: 'needs_attention' });
    expect(message?.attemptRows.length).toBeGreaterThan(1);
  }

  test('retries a message twice on the first, then uses the second', async () => {
    const chain = await createChain();
    const later = { on: chain.first.messages, code: 20429 };
    twilio.fail(later, later);
    const message = await settled(await chain.send());
    expect(describePath(message, chain)).toEqual(['first retry', 'first retry', 'second accepted']);
  });

  test.each([
    ['stays with the first integration', {}, ['first unknown', 'first accepted']],
    [
      'uses the second integration if the version says so',
      { onUnknown: 'resend_next' as const },
      ['first unknown', 'second accepted'],
    ],
  ])('after an unknown outcome, %s', async (_where, policy, path) => {
    const chain = await createChain(policy);
    // Twilio did not accept it, so a look-up at Twilio cannot settle it.
    twilio.fail({ on: chain.first.messages, reply: { status: 502, body: '' } });
    const message = await settled(await chain.send());
    expect(describePath(message, chain)).toEqual(path);
    expect(message.attemptRows.at(-1)?.isPossibleDuplicate).toBe(true);
  });

  test('uses the second at once when the first does not answer', async () => {
    const chain = await createChain({ onUnknown: 'hold' });
    const hang = { on: chain.first.messages, hang: true } as const;
    twilio.fail(hang, hang, hang, hang, hang);
    const hung = await Promise.all(Array.from({ length: 5 }, () => chain.send()));
    await Promise.all(hung.map((id) => settled(id, 'unknown')));
    const message = await settled(await chain.send());
    expect(describePath(message, chain)).toEqual(['second accepted']);
    expect(readFailovers(message.notes)).toMatchObject([{ reason: 'no_answer' }]);
  });
});
