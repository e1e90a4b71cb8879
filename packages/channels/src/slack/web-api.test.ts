import { hash } from 'node:crypto';
import { createSlackSimulator } from '@belfry/testing';
import type { SendCall } from '../channel';
import type { SlackContent } from './template';
import { slackWebApi } from './web-api';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const integrationToken = 'xoxb-integration-token';
const ownToken = 'xoxb-own-token-of-the-call';

async function setUp() {
  const simulator = await createSlackSimulator();
  const sender = slackWebApi.createSender({
    baseUrls: { slack: simulator.url },
    allowedPrivateHosts: [],
  });
  closers.push(simulator.close, sender.close);
  const send = (changes: Partial<SendCall<SlackContent>> = {}) =>
    sender.send({
      messageId: '0193-a',
      target: 'C0123456789',
      content: { text: 'Hello' },
      settings: {},
      integrationId: 'i1',
      integrationVersion: '1',
      credentials: { access_token: integrationToken },
      signal: AbortSignal.timeout(5_000),
      deadlineAt: Date.now() + 5_000,
      ...changes,
    });
  const methods = () => simulator.requests.map(({ path }) => path.replace('/api/', ''));
  return { simulator, send, methods };
}

const hashToken = (token: string) => hash('sha256', token, 'hex');

describe('a message to Slack', () => {
  test('is posted with text, blocks and its ID', async () => {
    const { simulator, send } = await setUp();
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'R&amp;D &lt;b&gt;' } }];
    const { outcome, response } = await send({ content: { text: 'R&amp;D', blocks } });
    expect(simulator.sends).toEqual([
      {
        channel: 'C0123456789',
        ts: expect.any(String),
        text: 'R&amp;D',
        blocks,
        argumentNames: ['channel', 'text', 'blocks', 'metadata', 'token'],
        tokenHash: hashToken(integrationToken),
        messageId: '0193-a',
      },
    ]);
    const ts = simulator.sends[0]?.ts;
    expect(outcome).toEqual({ outcome: 'accepted', providerMessageId: `C0123456789:${ts}` });
    expect(response).toEqual({ ok: true, channel: 'C0123456789', ts });
  });

  test('uses the token of the call before the integration’s', async () => {
    const { simulator, send } = await setUp();
    await send({ ownToken });
    await send();
    await send({ ownToken, credentials: {} });
    expect(simulator.sends.map(({ tokenHash }) => tokenHash)).toEqual(
      [ownToken, integrationToken, ownToken].map(hashToken),
    );
  });

  test('uses the right token when fifty are sent at once', async () => {
    const { simulator, send } = await setUp();
    const tokens = Array.from({ length: 50 }, (_, index) => `xoxb-token-of-tenant-${index}`);
    await Promise.all(tokens.map((token) => send({ ownToken: token, content: { text: token } })));
    expect(simulator.sends).toHaveLength(50);
    for (const { text, tokenHash } of simulator.sends) expect(tokenHash).toBe(hashToken(text));
  });

  test.each(['invalid_auth', 'token_revoked', 'missing_scope'])(
    'with %s blames the token of the call, or else the integration',
    async (error) => {
      const { simulator, send } = await setUp();
      simulator.fail({ error }, { error });
      const fault = { outcome: 'rejected', scope: 'integration', reason: error };
      expect((await send({ ownToken })).outcome).toMatchObject({
        ...fault,
        sparesIntegration: true,
      });
      const own = (await send()).outcome;
      expect(own).toMatchObject(fault);
      expect(own).not.toHaveProperty('sparesIntegration');
    },
  );

  test('is skipped without any token, and refused with a token that is not a valid header value', async () => {
    const { simulator, send } = await setUp();
    expect((await send({ credentials: {} })).outcome).toMatchObject({
      reason: 'no_token',
      skip: 'no_integration',
      sparesIntegration: true,
    });
    expect((await send({ ownToken: 'xoxb-a\r\nHost: evil' })).outcome).toMatchObject({
      reason: 'malformed_token',
      sparesIntegration: true,
    });
    expect(simulator.requests).toEqual([]);
  });

  test('stores the scopes that Slack names, and cuts the rest of the response', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({
      error: 'missing_scope',
      with: {
        needed: 'chat:write',
        provided: 'users:read',
        errors: ['x'.repeat(500)],
        secret: 's',
      },
    });
    expect((await send()).response).toEqual({
      method: 'chat.postMessage',
      status: 200,
      error: 'missing_scope',
      needed: 'chat:write',
      provided: 'users:read',
      errors: ['x'.repeat(300)],
    });
  });

  test('that is throttled does not delay others', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ reply: { status: 429, headers: { 'retry-after': '30' }, body: '' } });
    const startedAt = Date.now();
    const throttled = { outcome: 'retry', afterMs: 30_000, slows: 'integration' };
    expect((await send()).outcome).toMatchObject(throttled);
    expect((await send({ ownToken })).outcome.outcome).toBe('accepted');
    expect(Date.now() - startedAt).toBeLessThan(2_000);
    expect(simulator.requests).toHaveLength(2);
    // A rate limit on the call's own token does not slow the integration.
    simulator.fail({ reply: { status: 429, headers: { 'retry-after': '30' }, body: '' } });
    expect((await send({ ownToken })).outcome).not.toHaveProperty('slows');
  });
});

describe('a message to a person', () => {
  const target = 'ada@example.org';

  test('is posted into their direct conversation, which is cached by token', async () => {
    const { simulator, send, methods } = await setUp();
    await send({ target });
    await send({ target });
    await send({ target, ownToken });
    const lookUp = ['users.lookupByEmail', 'conversations.open'];
    const post = 'chat.postMessage';
    expect(methods()).toEqual([...lookUp, post, post, ...lookUp, post]);
    expect(simulator.sends[0]?.channel).toMatch(/^D/);
  });

  test('by ID needs no lookup', async () => {
    const { send, methods } = await setUp();
    expect((await send({ target: 'U0123456789' })).outcome.outcome).toBe('accepted');
    expect(methods()).toEqual(['conversations.open', 'chat.postMessage']);
  });

  test('is refused when the person does not exist, and the result is cached for a short time', async () => {
    const { simulator, send, methods } = await setUp();
    simulator.fail({ error: 'users_not_found' });
    const rejection = { outcome: 'rejected', scope: 'recipient', reason: 'users_not_found' };
    expect((await send({ target })).outcome).toMatchObject(rejection);
    expect((await send({ target })).outcome).toMatchObject(rejection);
    expect(methods()).toEqual(['users.lookupByEmail']);
  });

  test('is looked up again when the conversation no longer exists', async () => {
    const { simulator, send, methods } = await setUp();
    await send({ target });
    simulator.fail({ error: 'user_disabled' });
    await send({ target });
    await send({ target });
    expect(methods().filter((method) => method === 'users.lookupByEmail')).toHaveLength(2);
  });

  test.each([
    [{ reset: 'after' } as const],
    [{ reply: { status: 500, body: '' } }],
    [{ reply: { body: '<html>' } }],
    [{ error: 'internal_error' }],
    [{ reply: { body: { ok: true } } }],
  ])('was certainly not sent when the lookup ended in %j', async (fault) => {
    for (const on of ['users.lookupByEmail', 'conversations.open']) {
      const { simulator, send } = await setUp();
      simulator.fail({ on, ...fault });
      expect((await send({ target })).outcome).toMatchObject({ outcome: 'retry' });
      expect(simulator.sends).toEqual([]);
    }
  });
});

describe('a channel with an e-mail address as fallback', () => {
  const target = 'C0123456789 ada@example.org';

  test('goes to the channel', async () => {
    const { send, methods } = await setUp();
    await send({ target });
    expect(methods()).toEqual(['chat.postMessage']);
  });

  test('goes to the person when the channel is not found', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ error: 'channel_not_found' });
    expect((await send({ target })).outcome.outcome).toBe('accepted');
    expect(simulator.sends[0]?.channel).toMatch(/^D/);
  });

  test.each(['not_in_channel', 'is_archived', 'invalid_auth', 'internal_error'])(
    'goes to nobody when Slack answers %s',
    async (error) => {
      const { simulator, send } = await setUp();
      simulator.fail({ error });
      expect((await send({ target })).outcome).toMatchObject({ reason: error });
      expect(simulator.sends).toEqual([]);
    },
  );
});

test('a Slack integration may have no token, and accepts no other kind', () => {
  const check = (access_token?: string) =>
    slackWebApi.check({
      settings: {},
      credentials: access_token === undefined ? {} : { access_token },
    });
  expect([check(), check('xoxb-1234567890-abc'), check('xoxe.xoxp-1-abcdefghij')]).toEqual([
    [],
    [],
    [],
  ]);
  expect(check('xapp-1-A1-2-abc')).toEqual([expect.stringMatching(/^access_token must/)]);
});

test('the description has channel, person, text and blocks, and no token', () => {
  expect(
    slackWebApi.describe({
      messageId: 'm',
      target: 'C0123456789 ada@example.org',
      content: { text: 'Hello' },
      settings: {},
    }),
  ).toEqual({
    operation: 'POST https://slack.com/api/chat.postMessage',
    body: {
      channel: 'C0123456789',
      email: 'ada@example.org',
      text: 'Hello',
      metadata: { event_type: 'notification', event_payload: { message_id: 'm' } },
    },
  });
});
