import { Type } from '@sinclair/typebox';
import { AppError } from '../errors';
import {
  collectExtraFields,
  createReadSend,
  createSendEventBody,
  getSchedule,
  type WireChannels,
} from './send-event';
import { createValidator } from './validate';

const channels: WireChannels = {
  email: {
    override: Type.Object({
      message: Type.Optional(
        Type.Object({ subject: Type.Optional(Type.String({ maxLength: 10 })) }),
      ),
      attachments: Type.Optional(
        Type.Union([
          Type.Array(Type.Object({ file_name: Type.String() })),
          Type.Object({ filename: Type.String() }),
        ]),
      ),
    }),
    recipient: {},
  },
  toy: {
    override: Type.Object({ colour: Type.Optional(Type.String()) }),
    recipient: { toy_address: Type.String({ maxLength: 5 }) },
  },
};
const validate = createValidator(createSendEventBody(channels));

function getRefusal(body: unknown): {
  code: string;
  sentence: string;
  problems: string[];
} {
  try {
    validate(body);
  } catch (error) {
    if (error instanceof AppError) {
      const problems = error.problems.map(({ path, problem }) => `${path} ${problem}`);
      return { code: error.code, sentence: error.message, problems };
    }
    throw error;
  }
  throw new Error('expected a refusal');
}

describe('the body of events/send', () => {
  test.each<[string, unknown]>([
    ['only an event', { event: 'e' }],
    ['unknown keys anywhere', { event: 'e', x: 1, user: { x: [] }, override: { voice: 3 } }],
    ['every kind of value in data', { event: 'e', data: { a: 'x', b: [1, null], c: { d: true } } }],
    ['an empty user', { event: 'e', user: {} }],
    ['empty strings', { event: 'e', user: { user_id: '', email: '', mobile: '' } }],
    ['an invalid address', { event: 'e', user: { email: 'nonsense', mobile: 'x' } }],
    ['a Slack channel', { event: 'e', user: { slack: { access_token: 't', channel_id: 'C' } } }],
    ['a Slack e-mail', { event: 'e', user: { slack: { email: 'a@b.c' } } }],
    ['a map of provider payloads', { event: 'e', override: { providers: { p: { payload: {} } } } }],
    [
      'one bare provider object',
      { event: 'e', override: { providers: { headers: [], config: {} } } },
    ],
    [
      'both shapes of an attachment',
      { event: 'e', override: { email: { attachments: { filename: 'f' } } } },
    ],
    ['a time as a number or a string', { event: 'e', schedule_at: 0, scheduleAt: '2026-01-01' }],
    ['128 characters of two units each', { event: '😀'.repeat(128) }],
    ['a field of a channel', { event: 'e', user: { toy_address: '12345' } }],
    [
      'metadata at its limits',
      {
        event: 'e',
        metadata: {
          ...Object.fromEntries(Array.from({ length: 49 }, (_, n) => [`k${n}`, ''])),
          ['😀'.repeat(64)]: '😀'.repeat(500),
        },
      },
    ],
    ['a cancel key of 255 characters', { event: 'e', cancel_key: '😀'.repeat(255) }],
    ['data of exactly 256 KB', { event: 'e', data: { a: 'x'.repeat(256 * 1024 - 8) } }],
  ])('accepts %s', (_, body) => {
    expect(validate(body)).toBe(body);
  });

  test.each<[string, unknown]>([
    ['body must be an object', []],
    ['body must be an object', null],
    ['body must be an object', 'event'],
    ['event must be a string', { event: {} }],
    ['event must be a string', { event: 5 }],
    ['data must be an object', { event: 'e', data: [] }],
    ['data must be an object', { event: 'e', data: 'x' }],
    ['user must be an object', { event: 'e', user: 'u1' }],
    ['user.mobile must be a string', { event: 'e', user: { mobile: 14155550123 } }],
    ['user.fcm_tokens[1] must be a string', { event: 'e', user: { fcm_tokens: ['t', null] } }],
    ['user.slack.channel_id must be a string', { event: 'e', user: { slack: { channel_id: 1 } } }],
    [
      'user.preferences.disabled must be true or false',
      { event: 'e', user: { preferences: { disabled: 'no' } } },
    ],
    [
      'user.preferences.channel_preferences.sms must be an object',
      { event: 'e', user: { preferences: { channel_preferences: { sms: true } } } },
    ],
    ['override.email must be an object', { event: 'e', override: { email: 'x' } }],
    [
      'override.email.message.subject must be a string',
      { event: 'e', override: { email: { message: { subject: {} } } } },
    ],
    [
      'override.email.attachments must be an array',
      { event: 'e', override: { email: { attachments: 'x' } } },
    ],
    [
      'override.email.attachments[0].file_name must be a string',
      { event: 'e', override: { email: { attachments: [{ file_name: 1 }] } } },
    ],
    [
      'override.email.attachments.filename must be a string',
      { event: 'e', override: { email: { attachments: { filename: 1 } } } },
    ],
    [
      'override.providers.p.payload must be an object',
      { event: 'e', override: { providers: { p: { payload: [] } } } },
    ],
    ['override.toy.colour must be a string', { event: 'e', override: { toy: { colour: 1 } } }],
    ['metadata must be an object', { event: 'e', metadata: [] }],
    ['metadata must be an object', { event: 'e', metadata: 'a:b' }],
    ['metadata.a must be a string', { event: 'e', metadata: { a: 1 } }],
    ['metadata.a\nb must be a string', { event: 'e', metadata: { 'a\nb': {} } }],
    ['cancel_key must be a string', { event: 'e', cancel_key: 5 }],
    ['schedule_at must be a number or a string', { event: 'e', schedule_at: {} }],
    ['locale must be a string', { event: 'e', locale: 1 }],
  ])('rejects a wrong JSON type: %s', (sentence, body) => {
    expect(getRefusal(body)).toEqual({ code: 'invalid_type', sentence, problems: [sentence] });
  });

  test.each<[string, unknown]>([
    ['event must not be blank', {}],
    ['event must not be blank', { event: '' }],
    ['event must not be blank', { event: ' \n ' }],
    ['event must be at most 128 characters', { event: 'e'.repeat(129) }],
    ['data must be at most 256 KB', { event: 'e', data: { a: 'x'.repeat(256 * 1024 - 7) } }],
    ['data must be at most 256 KB', { event: 'e', data: { a: '✓'.repeat(100 * 1024) } }],
    [
      'user.user_id must be at most 255 characters',
      { event: 'e', user: { user_id: 'u'.repeat(256) } },
    ],
    [
      'user.user_id must not contain control characters or be "." or ".."',
      { event: 'e', user: { user_id: 'a\u0007' } },
    ],
    [
      'user.user_id must not contain control characters or be "." or ".."',
      { event: 'e', user: { user_id: '..' } },
    ],
    ['user.email must be at most 254 characters', { event: 'e', user: { email: 'e'.repeat(255) } }],
    ['user.mobile must be at most 32 characters', { event: 'e', user: { mobile: '1'.repeat(33) } }],
    [
      'user.whatsapp_mobile must be at most 32 characters',
      { event: 'e', user: { whatsapp_mobile: '1'.repeat(33) } },
    ],
    [
      'user.fcm_tokens[0] must be at most 4096 characters',
      { event: 'e', user: { fcm_tokens: ['t'.repeat(4097)] } },
    ],
    [
      'user.fcm_tokens must have at most 100 elements',
      { event: 'e', user: { fcm_tokens: Array(101).fill('t') } },
    ],
    [
      'user.slack.access_token must be at most 512 characters',
      { event: 'e', user: { slack: { channel_id: 'C', access_token: 't'.repeat(513) } } },
    ],
    ['user.slack must have channel_id or email', { event: 'e', user: { slack: {} } }],
    [
      'user.slack must have channel_id or email',
      { event: 'e', user: { slack: { access_token: 't' } } },
    ],
    [
      'user.slack must have channel_id or email',
      { event: 'e', user: { slack: { channel_id: ' ', email: '' } } },
    ],
    [
      'user.toy_address must be at most 5 characters',
      { event: 'e', user: { toy_address: '123456' } },
    ],
    [
      'override.email.message.subject must be at most 10 characters',
      { event: 'e', override: { email: { message: { subject: 'x'.repeat(11) } } } },
    ],
    ['schedule_at must be at most 64 characters', { event: 'e', schedule_at: '1'.repeat(65) }],
    [
      'schedule_at must be epoch milliseconds or an ISO 8601 time',
      { event: 'e', schedule_at: 'soon' },
    ],
    ['scheduleAt must be at most 366 days ahead', { event: 'e', scheduleAt: '2999-01-01' }],
    [
      'metadata must have at most 50 keys',
      {
        event: 'e',
        metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, ''])),
      },
    ],
    [
      'metadata must have keys of 1 to 64 characters',
      { event: 'e', metadata: { ['k'.repeat(65)]: '' } },
    ],
    ['metadata must have keys of 1 to 64 characters', { event: 'e', metadata: { '': 'a' } }],
    ['metadata.a must be at most 500 characters', { event: 'e', metadata: { a: 'x'.repeat(501) } }],
    ['cancel_key must be at most 255 characters', { event: 'e', cancel_key: 'k'.repeat(256) }],
    [
      'cancel_key must not be empty or contain control characters',
      { event: 'e', cancel_key: 'a\u0085' },
    ],
    ['cancel_key must not be empty or contain control characters', { event: 'e', cancel_key: '' }],
    [
      'override.toy.schedule_at must be at most 366 days ahead',
      { event: 'e', override: { toy: { schedule_at: '2999-01-01' } } },
    ],
  ])('rejects a wrong value: %s', (sentence, body) => {
    expect(getRefusal(body)).toEqual({ code: 'validation_failed', sentence, problems: [sentence] });
  });

  test('allows both spellings of the schedule of a channel', () => {
    const override = { toy: { schedule_at: 5, scheduled_at: '5' }, voice: { schedule_at: 'x' } };
    expect(validate({ event: 'e', override })).toEqual({ event: 'e', override });
  });
});

const readSend = createReadSend(channels);

describe('createReadSend', () => {
  test('returns the given members unchanged and adds none', () => {
    const data = { camelCase: 1, snake_case: null };
    expect(readSend({ event: 'e', data })).toEqual({ eventName: 'e', item: { data } });
    expect(readSend({ event: 'e' })).toEqual({ eventName: 'e', item: {} });
  });

  test.each([
    ['schedule_at first', { schedule_at: 1, scheduleAt: 2, scheduled_at: 3 }, 1],
    ['then scheduleAt', { scheduleAt: 2, scheduled_at: 3 }, 2],
    ['then scheduled_at', { scheduled_at: '3', scheduledAt: '4' }, '3'],
    ['then scheduledAt', { scheduledAt: '4' }, '4'],
    ['past an empty one', { schedule_at: '', scheduleAt: 2 }, 2],
  ])('reads the schedule from %s', (_, times, scheduleAt) => {
    expect(readSend({ event: 'e', ...times }).item.scheduleAt).toBe(scheduleAt);
  });

  test('reads metadata and cancel key unchanged; empty metadata counts as none', () => {
    const metadata = { ' a ': ' b ' };
    const { item } = readSend({ event: 'e', metadata, cancel_key: ' a ' });
    expect(item).toEqual({ metadata, cancelKey: ' a ' });
    expect(readSend({ event: 'e', metadata: {} }).item).toEqual({});
  });

  test('reads the locale of the request', () => {
    expect(readSend({ event: 'e', locale: ' de ' }).item.locale).toBe('de');
    expect(readSend({ event: 'e', locale: ' ' }).item).toEqual({});
  });
});

describe('getSchedule', () => {
  test.each<[string, Parameters<typeof getSchedule>[0], unknown]>([
    ['the schedule of the channel', { scheduleAt: 1, override: { toy: { schedule_at: 2 } } }, 2],
    ['its alias', { scheduleAt: 1, override: { toy: { scheduled_at: 3 } } }, 3],
    ['its name in camelCase', { scheduleAt: 1, override: { toy: { scheduleAt: 4 } } }, 4],
    [
      '0 of the channel, which means now',
      { scheduleAt: 1, override: { toy: { schedule_at: 0 } } },
      0,
    ],
    [
      'the schedule of the item if the channel has none',
      { scheduleAt: 1, override: { toy: { schedule_at: '' } } },
      1,
    ],
    [
      'the schedule of the item if only another channel has one',
      { scheduleAt: 1, override: { email: { schedule_at: 2 } } },
      1,
    ],
    ['nothing', {}, undefined],
  ])('returns %s', (_, item, expected) => {
    expect(getSchedule(item, 'toy')).toBe(expected);
  });
});

describe('collectExtraFields', () => {
  test('collects the recipient fields of all channels', () => {
    expect(Object.keys(collectExtraFields(channels))).toEqual(['toy_address']);
  });
});
