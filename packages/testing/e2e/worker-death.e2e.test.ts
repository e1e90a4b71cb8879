import {
  channelVersion,
  createSlackSimulator,
  eventually,
  type SlackSimulator,
  type System,
  startSystem,
} from '@belfry/testing';

let slack: SlackSimulator;
let system: System;

beforeAll(async () => {
  slack = await createSlackSimulator();
  system = await startSystem({ env: { SLACK_API_URL: slack.url, SEND_TIMEOUT_MS: '3000' } });
}, 120_000);

afterAll(async () => {
  await system.stop();
  await slack.close();
}, 120_000);

async function sendToSlack(): Promise<string> {
  const tenant = await system.factories.createTenant({ delivery: 'live' });
  const integration = await system.factories.createIntegration(tenant, {
    channel: 'slack',
    provider: 'slack',
    credentials: { access_token: 'xoxb-1111-2222-integration' },
  });
  const { name } = await system.factories.createEvent(tenant, {
    slack: channelVersion({ text: 'Hello' }, { integrationIds: [integration.id] }),
  });
  const user = { slack: { channel_id: 'C0WORKERDIES' } };
  const { body } = await system.send(tenant, { event: name, user });
  return String(body.request_id);
}

describe('a worker that is killed between claim and record', () => {
  test('leaves a message that is settled later, with every attempt on record and the second one marked', async () => {
    slack.fail({ on: 'chat.postMessage', hang: true });
    const requestId = await sendToSlack();
    await eventually(() => expect(slack.requests).toHaveLength(1), { timeoutMs: 5_000 });
    await system.workers[0]?.stop('SIGKILL');
    expect(await system.readMessages(requestId)).toMatchObject([{ state: 'sending', attempts: 1 }]);
    await system.startWorker();
    const [message] = await eventually(
      async () => {
        const messages = await system.readMessages(requestId);
        expect(messages).toMatchObject([{ state: 'sent' }]);
        return messages;
      },
      { timeoutMs: 60_000 },
    );
    expect(message?.attemptRows).toMatchObject([
      { number: 1, outcome: 'unknown', reason: 'lease_expired', isPossibleDuplicate: false },
      { number: 2, outcome: 'accepted', isPossibleDuplicate: true },
    ]);
  }, 90_000);
});
