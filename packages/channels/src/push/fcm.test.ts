import {
  createFcmSimulator,
  eventually,
  type FcmFault,
  fcmSendPath,
  simulatedServiceAccount,
} from '@belfry/testing';
import type { SendCall } from '../channel';
import { fcm } from './fcm';
import { invalidTokenMessage } from './fcm-codes';
import type { PushContent } from './template';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const account = simulatedServiceAccount();

async function setUp() {
  const simulator = await createFcmSimulator();
  const sender = fcm.createSender({ baseUrls: { fcm: simulator.url }, allowedPrivateHosts: [] });
  closers.push(simulator.close, sender.close);
  const send = (changes: Partial<SendCall<PushContent>> = {}) =>
    sender.send({
      messageId: '0193-a',
      target: 'token:1',
      content: { title: 'Hello', body: 'B', data: {} },
      settings: {},
      integrationId: 'i1',
      integrationVersion: '1',
      credentials: { service_account: account },
      signal: AbortSignal.timeout(5_000),
      deadlineAt: Date.now() + 5_000,
      ...changes,
    });
  return { simulator, sender, send };
}

const refuse = (http: number, status: string, errorCode?: string, more = {}): FcmFault => ({
  http,
  status,
  ...(errorCode === undefined ? {} : { errorCode }),
  ...more,
});

test('a slow access token from Google does not use up the deadline', async () => {
  const { simulator, sender } = await setUp();
  simulator.fail({ on: '/token', slowMs: 400 });
  const call = {
    ...{ messageId: '0193-a', target: 'token:1', settings: {}, integrationVersion: '1' },
    content: { title: 'Hello', body: 'B', data: {} },
    integrationId: 'i1',
    credentials: { service_account: account },
  };
  const prepared = await sender.prepare?.(call, AbortSignal.timeout(5_000));
  if (!prepared || 'outcome' in prepared) throw new Error('Not prepared');
  const deadline = { signal: AbortSignal.timeout(300), deadlineAt: Date.now() + 300 };
  expect((await prepared.send(deadline)).outcome).toMatchObject({ outcome: 'accepted' });
  expect(simulator.sends).toHaveLength(1);
});

describe('a message to FCM', () => {
  test('is one request to one device, and returns FCM’s message name', async () => {
    const { simulator, send } = await setUp();
    expect(await send()).toEqual({
      outcome: { outcome: 'accepted', providerMessageId: 'projects/simulated-project/messages/1' },
      response: { name: 'projects/simulated-project/messages/1' },
    });
    expect(simulator.sends).toMatchObject([
      { token: 'token:1', messageId: '0193-a', projectId: 'simulated-project' },
    ]);
  });

  test('may go to a topic', async () => {
    const { simulator, send } = await setUp();
    await send({ target: '/topics/news' });
    expect(simulator.sends).toMatchObject([{ topic: 'news' }]);
    expect(simulator.sends[0]).not.toHaveProperty('token');
  });

  test('goes to the project in the settings, if set', async () => {
    const { simulator, send } = await setUp();
    await send({ settings: { project_id: 'other-project' } });
    expect(simulator.sends).toMatchObject([{ projectId: 'other-project' }]);
  });

  test('is refused before any request when the token is malformed', async () => {
    const { simulator, send } = await setUp();
    for (const target of ['a b', '', 'a/b', '/topics/', '/topics/a b', 'x'.repeat(4_097)]) {
      expect((await send({ target })).outcome).toMatchObject({
        outcome: 'rejected',
        scope: 'recipient',
        reason: 'malformed_token',
      });
    }
    expect(simulator.requests).toEqual([]);
  });
});

describe('FCM’s answer about a device', () => {
  const disabled = (reason: string) => [{ change: 'disable_device', reason }];
  test.each<[string, FcmFault, unknown]>([
    [
      'STS-Rosario/carpoolear_backend#321',
      refuse(404, 'NOT_FOUND', 'UNREGISTERED'),
      disabled('unregistered'),
    ],
    [
      'guardian/mobile-n10n#1239',
      refuse(400, 'INVALID_ARGUMENT', 'UNREGISTERED'),
      disabled('unregistered'),
    ],
    [
      'rails/action_push_native#141',
      refuse(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', { message: invalidTokenMessage }),
      disabled('invalid_token'),
    ],
    [
      'firebase/firebase-admin-java#1064',
      refuse(400, 'INVALID_ARGUMENT', undefined, { message: invalidTokenMessage }),
      disabled('invalid_token'),
    ],
  ])('switches the device off when its token is dead: %s', async (_report, fault, changes) => {
    const { simulator, send } = await setUp();
    simulator.fail(fault);
    const result = await send();
    expect(result.outcome).toMatchObject({ outcome: 'rejected', scope: 'recipient' });
    expect(result.changes).toEqual(changes);
  });

  test.each<[string, FcmFault]>([
    ['a project that does not exist', refuse(404, 'NOT_FOUND')],
    ['a page that does not exist', { on: fcmSendPath, reply: { status: 404, body: '<html>' } }],
    ['an unknown code', refuse(404, 'NOT_FOUND', 'SOMETHING_NEW')],
    ['an API that is disabled', refuse(403, 'PERMISSION_DENIED')],
    ['another project’s token', refuse(403, 'PERMISSION_DENIED', 'SENDER_ID_MISMATCH')],
    ['xtrinch/fcm-django#223', refuse(400, 'INVALID_ARGUMENT')],
    ['eladnava/fcm-v1-http2#5', refuse(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT')],
    [
      'ToothlessGear/node-gcm#360',
      refuse(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', {
        message: 'Android message is too big',
      }),
    ],
    [
      'a field about a token in the data',
      refuse(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', {
        message: `data.x: ${invalidTokenMessage}`,
      }),
    ],
    ['the key for Apple', refuse(401, 'UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR')],
    ['a quota', refuse(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED')],
    ['a fault of FCM', refuse(500, 'INTERNAL', 'INTERNAL')],
    ['an account that expired', { tokenError: 'invalid_grant' }],
  ])('leaves the device on when it is about something else: %s', async (_report, fault) => {
    const { simulator, send } = await setUp();
    simulator.fail(fault);
    const { outcome, changes } = await send();
    expect(outcome.outcome).not.toBe('accepted');
    expect(changes).toBeUndefined();
  });

  test('slows the device or topic, not the integration, when a quota is used up', async () => {
    const { simulator, send } = await setUp();
    simulator.fail(refuse(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED'));
    const { outcome, response } = await send();
    expect(outcome).toMatchObject({
      ...{ outcome: 'retry', slows: 'target', afterMs: 60_000 },
    });
    // Google's message is stored, without an empty list of violations.
    expect(JSON.stringify(response)).toMatch(/^(?!.*violations).*QUOTA_EXCEEDED/);
  });

  test('fails only this message when the key for Apple is refused', async () => {
    const { simulator, send } = await setUp();
    simulator.fail(refuse(401, 'UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR'));
    expect((await send()).outcome).toMatchObject({ scope: 'integration', sparesIntegration: true });
    expect(simulator.countTokens()).toBe(1);
  });
});

describe('the access token', () => {
  // firebase/firebase-admin-node#2960, #2697, #2865
  test('is requested from the configured host, once for concurrent and later messages', async () => {
    const { simulator, send } = await setUp();
    const many = Array.from({ length: 20 }, () => send());
    for (const { outcome } of await Promise.all(many)) expect(outcome.outcome).toBe('accepted');
    await send();
    expect(simulator.countTokens()).toBe(1);
    expect(simulator.requests.map(({ path }) => path).slice(0, 2)).toEqual([
      '/token',
      '/v1/projects/simulated-project/messages:send',
    ]);
  });

  test('is replaced once when Google refuses it, and the message is sent', async () => {
    const { simulator, send } = await setUp();
    await send();
    simulator.fail(refuse(401, 'UNAUTHENTICATED'));
    expect((await send()).outcome.outcome).toBe('accepted');
    expect([simulator.countTokens(), simulator.sends.length]).toEqual([2, 2]);
    simulator.fail(refuse(401, 'UNAUTHENTICATED'), refuse(401, 'UNAUTHENTICATED'));
    expect((await send()).outcome).toMatchObject({ outcome: 'rejected', scope: 'integration' });
    expect(simulator.sends).toHaveLength(2);
  });

  test.each([
    'firebase/firebase-admin-node#571',
    'jlcvp/fcm-node#45',
    'firebase/firebase-functions#171',
  ])(
    'is cached per integration, even for one account, and is new with new credentials: %s',
    async () => {
      const { simulator, send } = await setUp();
      await send();
      await send({ integrationId: 'i2' });
      await send({ integrationVersion: '2' });
      await send({
        credentials: { service_account: simulatedServiceAccount('second-project') },
        integrationVersion: '3',
      });
      expect(simulator.countTokens()).toBe(4);
      expect(simulator.sends.map(({ projectId }) => projectId).at(-1)).toBe('second-project');
    },
  );

  test('that does not arrive in time takes no longer than the deadline, and nothing is sent', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ on: '/token', hang: true });
    const { outcome } = await send({ signal: AbortSignal.timeout(300) });
    expect(outcome).toMatchObject({ outcome: 'retry', reason: 'no_access_token' });
    await eventually(() => expect(simulator.requests).toHaveLength(1));
  });

  test.each([
    [400, 'rejected'],
    [401, 'rejected'],
    [403, 'rejected'],
    [408, 'retry'],
    [409, 'rejected'],
    [429, 'retry'],
    [499, 'rejected'],
    [500, 'retry'],
  ])('request that Google answers with %d becomes %s', async (status, outcome) => {
    const { simulator, send } = await setUp();
    simulator.fail({ on: '/token', reply: { status, body: '' } });
    expect((await send()).outcome).toMatchObject({ outcome });
    expect(simulator.sends).toHaveLength(0);
  });

  test('is requested once per message, whatever the endpoint answers', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ on: '/token', reply: { status: 503, body: '' } });
    await send();
    expect(simulator.requests).toHaveLength(1);
  });
});

describe('a connection test', () => {
  const test_ = (sender: ReturnType<typeof fcm.createSender>) =>
    sender.test({
      settings: {},
      credentials: { service_account: account },
      signal: AbortSignal.timeout(5_000),
    });

  test('fetches its own token and sends nothing', async () => {
    const { simulator, sender } = await setUp();
    expect(await test_(sender)).toEqual({
      isWorking: true,
      detail:
        'FCM accepts messages from sender@simulated-project.iam.gserviceaccount.com for the project simulated-project.',
    });
    await test_(sender);
    expect([simulator.countTokens(), simulator.sends.length]).toEqual([2, 0]);
  });

  test.each([
    ['no such project' as const, 'The Firebase project does not exist. Check the project id.'],
    ['API disabled' as const, expect.stringMatching(/^The Cloud Messaging API is not enabled/)],
    ['account expired' as const, expect.stringMatching(/\(invalid_grant\)/)],
  ])('names the problem: %s', async (trouble, detail) => {
    const { simulator, sender } = await setUp();
    simulator.setTrouble(trouble);
    expect(await test_(sender)).toEqual({ isWorking: false, detail });
  });
});

describe('an integration', () => {
  const file = JSON.parse(account);
  const check = (text: string) =>
    fcm.check({ settings: {}, credentials: { service_account: text } });

  test.each(['coollabsio/coolify#6384', 'firebase/firebase-admin-node#385'])(
    'accepts a key whose line ends were written as \\n, and sends with it: %s',
    async () => {
      const { send } = await setUp();
      const text = JSON.stringify({
        ...file,
        private_key: file.private_key.replaceAll('\n', '\\n'),
      });
      expect(check(text)).toEqual([]);
      expect((await send({ credentials: { service_account: text } })).outcome.outcome).toBe(
        'accepted',
      );
    },
  );

  test.each<[string, string]>([
    ['no JSON', 'xyz'],
    ['a server key of the old API', 'AAAAabc:APA91b'],
    ['the configuration of an app', JSON.stringify({ project_info: {}, client: [] })],
    ['another type of account', JSON.stringify({ ...file, type: 'authorized_user' })],
    ['no project', JSON.stringify({ ...file, project_id: 'Bad Project!' })],
    ['no address', JSON.stringify({ ...file, client_email: '' })],
    ['a truncated key', JSON.stringify({ ...file, private_key: file.private_key.slice(0, 200) })],
    ['a list', '[]'],
  ])('with %s is refused with a sentence that repeats nothing of it', async (_what, text) => {
    const [problem = '', ...others] = check(text);
    expect(problem).toMatch(/^service_account (must|is|has) /);
    expect(problem).not.toContain('PRIVATE');
    expect(others).toEqual([]);
    const { simulator, send } = await setUp();
    expect((await send({ credentials: { service_account: text } })).outcome).toMatchObject({
      outcome: 'rejected',
      scope: 'integration',
      reason: 'incomplete_integration',
    });
    expect(simulator.requests).toEqual([]);
  });
});
