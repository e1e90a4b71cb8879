import { createOnesignalSimulator } from './onesignal';
import { closeAll, closers, post } from './raw-calls.fixture';

afterAll(closeAll);

// Each row is a valid request with one change.
describe('the simulator of OneSignal', () => {
  const valid = {
    app_id: '11111111-1111-4111-8111-111111111111',
    target_channel: 'push',
    include_aliases: { external_id: ['ana'] },
    contents: { en: 'Hello' },
  };
  const subscription = {
    app_id: valid.app_id,
    contents: valid.contents,
    include_subscription_ids: ['22222222-2222-4222-8222-222222222222'],
  };
  let url: string;
  let keys = 0;

  beforeAll(async () => {
    const simulator = await createOnesignalSimulator();
    closers.push(simulator.close);
    url = `${simulator.url}/notifications`;
  });

  const send = (body: object, headers: Record<string, string> = {}) => {
    keys += 1;
    const key = `33333333-3333-3333-8333-${String(keys).padStart(12, '0')}`;
    return post(url, {
      headers: {
        authorization: 'Key os_v2_app_x',
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ idempotency_key: key, ...body }),
    });
  };

  test.each<[string, object]>([
    ['a text to an alias', valid],
    ['a text to a subscription', subscription],
    ['a key of version 4', { ...valid, idempotency_key: '44444444-4444-4444-8444-444444444444' }],
    ['2,048 bytes of data', { ...valid, data: { k: 'x'.repeat(2_048 - '{"k":""}'.length) } }],
  ])('accepts %s', async (_what, body) => {
    const answer = await send(body);
    expect(answer).toMatchObject({ status: 200, body: { id: expect.stringMatching(/./) } });
  });

  const without = (name: keyof typeof valid) =>
    Object.fromEntries(Object.entries(valid).filter(([each]) => each !== name));

  test.each<[string, object, RegExp]>([
    ['no app', without('app_id'), /app_id is invalid/],
    ['an app that is not a UUID', { ...valid, app_id: 'x' }, /app_id is invalid/],
    ['no target', without('include_aliases'), /one targeting parameter/],
    ['two targets', { ...valid, ...subscription }, /one targeting parameter/],
    ['an alias without a channel', without('target_channel'), /target_channel is required/],
    ['another channel', { ...valid, target_channel: 'fax' }, /target_channel/],
    [
      'a subscription that is not a UUID',
      { ...subscription, include_subscription_ids: ['x'] },
      /UUID/,
    ],
    ['no text', without('contents'), /English/],
    ['no English', { ...valid, contents: { de: 'Hallo' } }, /English/],
    ['an empty text', { ...valid, contents: { en: '' } }, /contents/],
    [
      'a key of version 7',
      { ...valid, idempotency_key: '01930000-0000-7000-8000-000000000001' },
      /3 or 4/,
    ],
    [
      'a key of version 1',
      { ...valid, idempotency_key: '01930000-0000-1000-8000-000000000001' },
      /3 or 4/,
    ],
    [
      'a key without a variant',
      { ...valid, idempotency_key: '01930000-0000-4000-0000-000000000001' },
      /3 or 4/,
    ],
    [
      '2,049 bytes of data',
      { ...valid, data: { k: 'x'.repeat(2_049 - '{"k":""}'.length) } },
      /2048/,
    ],
    ['a list as data', { ...valid, data: [] }, /data/],
    ['a collapse ID of 65 characters', { ...valid, collapse_id: 'x'.repeat(65) }, /64/],
    ['a lifetime over 28 days', { ...valid, ttl: 2_419_201 }, /ttl/],
    ['a link without a scheme', { ...valid, url: 'x.example' }, /url/],
    [
      'an unknown interruption level',
      { ...valid, ios_interruption_level: 'loud' },
      /ios_interruption_level/,
    ],
    ['an unknown field', { ...valid, content: 'x' }, /content is unknown/],
  ])('refuses %s', async (_what, body, problem) => {
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(String(answer.body['errors'])).toMatch(problem);
  });

  test.each<[string, Record<string, string>, number]>([
    ['no key', { authorization: '' }, 401],
    ['a key in the old format', { authorization: 'Basic x' }, 401],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 400],
  ])('refuses %s', async (_what, headers, status) => {
    expect((await send(valid, headers)).status).toBe(status);
  });
});
