import { createFcmSimulator, findClosedPort, simulatedServiceAccount } from '@belfry/testing';
import { createFcmTopics, type TopicChange } from './fcm-topics';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function setUp() {
  const simulator = await createFcmSimulator();
  const topics = createFcmTopics({ baseUrl: simulator.url });
  closers.push(simulator.close, topics.close);
  const change = (changes: Partial<TopicChange> = {}) => topics.change(createChange(changes));
  return { simulator, change };
}

function createChange(changes: Partial<TopicChange>): TopicChange {
  return {
    ...{ action: 'subscribe', topic: 'news', tokens: ['a', 'b'], integrationKey: 'i1:1' },
    integration: { settings: {}, credentials: { service_account: simulatedServiceAccount() } },
    signal: AbortSignal.timeout(5_000),
    ...changes,
  };
}

describe('the topics of FCM', () => {
  test('get tokens and lose them, with one access token', async () => {
    const { simulator, change } = await setUp();
    expect(await change()).toEqual({ changed: 2, refused: 0 });
    expect(await change({ action: 'unsubscribe', tokens: ['a'] })).toEqual({
      changed: 1,
      refused: 0,
    });
    expect([...simulator.topics]).toEqual([['news', new Set(['b'])]]);
    expect(simulator.countTokens()).toBe(1);
  });

  test('count the tokens that FCM does not know', async () => {
    const { simulator, change } = await setUp();
    simulator.unregister('b');
    expect(await change()).toEqual({ changed: 1, refused: 1 });
  });

  test.each([
    ['a refused account', { tokenError: 'invalid_grant' }, /^Google refused an access token/],
    ['an error', { on: 'batchAdd', reply: { status: 500, body: '' } }, /HTTP status 500\.$/],
    ['a page', { on: 'batchAdd', reply: { status: 200, body: '<html>' } }, /HTTP status 200\.$/],
    ['a broken connection', { on: 'batchAdd', reset: 'after' as const }, /was lost/],
  ])('fail with a sentence after %s', async (_what, fault, sentence) => {
    const { simulator, change } = await setUp();
    simulator.fail(fault);
    expect(await change()).toEqual({ failed: expect.stringMatching(sentence) });
    expect(await change()).toEqual({ changed: 2, refused: 0 });
  });

  test('fail without a usable account or a connection', async () => {
    const { change } = await setUp();
    const integration = { settings: {}, credentials: {} };
    expect(await change({ integration })).toMatchObject({ failed: expect.any(String) });
    const away = createFcmTopics({ baseUrl: `http://127.0.0.1:${await findClosedPort()}` });
    closers.push(away.close);
    expect(await away.change(createChange({}))).toEqual({
      failed: expect.stringMatching(/refused the connection/),
    });
  });
});
