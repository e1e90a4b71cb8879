import { channelVersion } from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from './stored-gateway.fixture';

let gateway: StoredGateway;
let event: string;

beforeAll(async () => {
  gateway = await createStoredGateway();
  const version = { email: channelVersion({ subject: 'Hi', text: 'Hello' }) };
  event = (await gateway.factories.createEvent(gateway.tenant, version)).name;
  await gateway.call({ method: 'post', path: '/users', body: { user_id: 'ana' } });
});

afterAll(() => gateway.close());

async function readRefusal(method: 'post' | 'put', path: string, body: unknown) {
  // Raw JSON, to fix the order of the members.
  const answer = await gateway.call({ method, path, body: JSON.stringify(body) });
  const { code, error, errors } = answer.body;
  return { status: answer.status, code, error, errors };
}

function invalid(...errors: string[]) {
  return { status: 422, code: 'validation_failed', error: errors[0], errors };
}

const longEmail = 'e'.repeat(255);
const longToken = 't'.repeat(4_097);

const wrongItem = {
  data: { text: 'x'.repeat(256 * 1024) },
  schedule_at: 'soon',
  user: {
    mobile: 5,
    email: longEmail,
    slack: { access_token: 's'.repeat(513) },
    fcmTokens: ['t', longToken, 7],
    preferences: { channel_preferences: { sms: true, email: { disabled: 'no' } } },
  },
  override: {
    sms: { message: { text: 1 } },
    email: { scheduled_at: '2999-01-01', attachments: [{ file_name: 1 }, 'x'] },
    providers: { p: { payload: [] }, q: { payload: {} } },
  },
  locale: 'l'.repeat(36),
};
const itemProblems = [
  'data must be at most 256 KB',
  'schedule_at must be epoch milliseconds or an ISO 8601 time',
  'user.mobile must be a string',
  'user.email must be at most 254 characters',
  'user.slack must have channel_id or email',
  'user.slack.access_token must be at most 512 characters',
  'user.fcm_tokens[1] must be at most 4096 characters',
  'user.fcm_tokens[2] must be a string',
  'user.preferences.channel_preferences.sms must be an object',
  'user.preferences.channel_preferences.email.disabled must be true or false',
  'override.sms.message.text must be a string',
  'override.email.scheduled_at must be at most 366 days ahead',
  'override.email.attachments[0].file_name must be a string',
  'override.email.attachments[1] must be an object',
  'override.providers.p.payload must be an object',
  'locale must be at most 35 characters',
];

describe('a 422 lists every problem in the order of the body', () => {
  test.each(['/events/send', '/events/send?dry_run=true'])('%s', async (path) => {
    expect(await readRefusal('post', path, { event: ' ', ...wrongItem })).toEqual(
      invalid('event must not be blank', ...itemProblems),
    );
    const { data } = wrongItem;
    expect(await readRefusal('post', path, { data, event: '' })).toMatchObject({
      error: 'event must not be blank',
      errors: ['data must be at most 256 KB', 'event must not be blank'],
    });
    // A missing member has no position, so it comes first.
    expect(await readRefusal('post', path, { data })).toEqual(
      invalid('event must not be blank', 'data must be at most 256 KB'),
    );
  });

  test('/events/bulk_send, with the index of each element', async () => {
    const { schedule_at, locale } = wrongItem;
    const batch = [{ user: {} }, {}, wrongItem, { user: { email: longEmail } }];
    const body = { schedule_at, batch: batch.slice(0, 3), event: '' };
    expect(await readRefusal('post', '/events/bulk_send', body)).toMatchObject({
      status: 422,
      error: 'event must not be blank',
      errors: [
        'schedule_at must be epoch milliseconds or an ISO 8601 time',
        'batch[1].user must not be null',
        ...itemProblems.map((problem) => `batch[2].${problem}`),
        'event must not be blank',
      ],
    });
    const three = { event, batch: [batch[1], batch[3]], locale };
    expect(await readRefusal('post', '/events/bulk_send', three)).toMatchObject({
      status: 422,
      error: 'locale must be at most 35 characters',
      errors: [
        'batch[0].user must not be null',
        'batch[1].user.email must be at most 254 characters',
        'locale must be at most 35 characters',
      ],
    });
  });

  test('metadata and cancel key', async () => {
    const metadata = { order: 'A-1001', '': 'x', note: 'n'.repeat(501), count: 5 };
    const body = { event, metadata, cancel_key: 'a\nb' };
    expect(await readRefusal('post', '/events/send', body)).toEqual(
      invalid(
        'metadata must have keys of 1 to 64 characters',
        'metadata.note must be at most 500 characters',
        'metadata.count must be a string',
        'cancel_key must not be empty or contain control characters',
      ),
    );
  });

  test('users and devices', async () => {
    const user = { user_id: '', email: longEmail, slack: {}, mobile: 'm'.repeat(33) };
    expect(await readRefusal('post', '/users', user)).toEqual(
      invalid(
        'user_id must not be blank',
        'email must be at most 254 characters',
        'slack must have channel_id or email',
        'mobile must be at most 32 characters',
      ),
    );
    const device = { platform: 'windows', fcm_token: longToken, id: 'i'.repeat(256) };
    const expectedRefusal = invalid(
      'platform must be one of android, web, ios',
      'fcm_token must be at most 4096 characters',
      'id must be at most 255 characters',
    );
    expect(await readRefusal('post', '/users/ana/devices', device)).toMatchObject({
      ...expectedRefusal,
      error: expect.any(String),
    });
    expect(await readRefusal('put', '/users/ana/devices/d', device)).toMatchObject({
      ...expectedRefusal,
      error: expect.any(String),
    });
  });
});

test('all integers beyond 2^53 - 1 are listed together', async () => {
  const text = `{"event":"${event}","data":{"a":9007199254740993,"b":[1,9007199254740995]}}`;
  const answer = await gateway.call({ method: 'post', path: '/events/send', body: text });
  expect(answer.body.errors).toEqual([
    'data.a must be sent as a string',
    'data.b[1] must be sent as a string',
  ]);
});

describe('after 20 problems a last entry counts the others', () => {
  test.each([
    [20, undefined],
    [21, 'and 1 more problem'],
    [27, 'and 7 more problems'],
    [100, 'and 80 more problems'],
  ])('%i tokens', async (count, last) => {
    const body = { event: '', user: { fcm_tokens: Array(count - 1).fill(longToken) } };
    const invalidBody = JSON.stringify(body);
    const { errors } = (
      await gateway.call({ method: 'post', path: '/events/send', body: invalidBody })
    ).body;
    expect(errors).toHaveLength(last ? 21 : 20);
    expect(errors.at(-1)).toBe(last ?? 'user.fcm_tokens[18] must be at most 4096 characters');
  });

  test('1,000 elements of a batch', async () => {
    const batch = Array(1_000).fill({ user: { email: longEmail, mobile: 'm'.repeat(33) } });
    const { errors } = await readRefusal('post', '/events/bulk_send', { event, batch });
    expect(errors.at(19)).toBe('batch[9].user.mobile must be at most 32 characters');
    expect(errors.at(-1)).toBe('and 1980 more problems');
  });
});

test('a wrong JSON type is a 400 with one sentence', async () => {
  const invalidBody = { event, user: { mobile: 5, email: 6 } };
  expect(await readRefusal('post', '/events/send', invalidBody)).toEqual({
    status: 400,
    code: 'invalid_type',
    error: 'user.email must be a string',
    errors: undefined,
  });
});
