import { Type } from '@sinclair/typebox';
import fc from 'fast-check';
import { createUserBody, isUserId, type StoredUser, userFromWire, userToWire } from './user';
import { createValidator } from './validate';

const validate = createValidator(createUserBody({ toy_address: Type.String({ maxLength: 5 }) }));

function read(body: object) {
  return userFromWire(validate(body), ['toy_address']);
}

describe('userFromWire', () => {
  test.each<[string, object, object]>([
    ['an absent field stays', {}, {}],
    ['a string is trimmed', { email: ' a ' }, { email: 'a' }],
    ['an empty string clears', { email: '', mobile: ' ' }, { email: null, mobile: null }],
    ['the alias is read', { whats_app: '+1' }, { whatsapp_mobile: '+1' }],
    [
      'the name wins over the alias',
      { whats_app: '+1', whatsapp_mobile: '' },
      { whatsapp_mobile: null },
    ],
    [
      'members are changed one by one',
      { slack: { channel_id: 'C' } },
      { slack: { channel_id: 'C' } },
    ],
    [
      'members are cleared one by one',
      { slack: { channel_id: '', access_token: '' }, telegram: { chat_id: '' } },
      { slack: { channel_id: null, access_token: null }, telegram: { chat_id: null } },
    ],
    [
      'a numeric chat id becomes text',
      { telegram: { chat_id: -100 } },
      { telegram: { chat_id: '-100' } },
    ],
    [
      'preferences keep the members of the interface',
      {
        preferences: { locale: 'de', x: 1, channel_preferences: { sms: { disabled: true, y: 2 } } },
      },
      { preferences: { locale: 'de', channel_preferences: { sms: { disabled: true } } } },
    ],
    ['a field of a channel', { toy_address: ' T ' }, { toy_address: 'T' }],
    ['an empty field of a channel', { toy_address: '' }, { toy_address: null }],
    ['unknown keys are ignored', { devices: [], name: 'x', created_at: 'y' }, {}],
  ])('%s', (_, body, contact) => {
    expect(read({ user_id: 'u', ...body })).toEqual({ userId: 'u', contact });
  });

  test('keeps a user_id byte for byte', () => {
    expect(read({ user_id: ' u ' }).userId).toBe(' u ');
  });

  test('returns the Slack token separately', () => {
    const slack = { access_token: ' xoxb-1 ', email: 'a@b.c' };
    expect(read({ user_id: 'u', slack })).toEqual({
      userId: 'u',
      contact: { slack: { email: 'a@b.c' } },
      slackToken: 'xoxb-1',
    });
  });

  test.each(['********', ' *** ', '*'])('treats the token %j as a mask', (access_token) => {
    const expected = { userId: 'u', contact: { slack: {} } };
    expect(read({ user_id: 'u', slack: { access_token } })).toEqual(expected);
  });
});

describe('userToWire', () => {
  const stored: StoredUser = {
    userSid: 'sid',
    userId: 'u',
    contact: {
      email: 'a',
      slack: { access_token: 'v1.sealed', channel_id: 'C' },
      toy_address: 'T',
    },
    devices: [],
    createdAtMs: 1,
    updatedAtMs: 2,
  };

  test('shows the stored fields with a masked token', () => {
    expect(JSON.stringify(userToWire(stored, ['toy_address']))).toBe(
      '{"user_sid":"sid","user_id":"u","email":"a","slack":{"access_token":"********","channel_id":"C"},"toy_address":"T","devices":[],"created_at":1,"updated_at":2}',
    );
  });

  test('returns a body that a user write accepts and that changes nothing', () => {
    const answer = JSON.parse(JSON.stringify(userToWire(stored, ['toy_address'])));
    expect(read(answer)).toEqual({
      userId: 'u',
      contact: { email: 'a', slack: { channel_id: 'C' }, toy_address: 'T' },
    });
  });
});

describe('isUserId', () => {
  test.each<[string, boolean]>([
    ['u', true],
    ['...', true],
    ['a/b', true],
    ['🎉'.repeat(255), true],
    ['🎉'.repeat(256), false],
    ['x'.repeat(256), false],
    ['', false],
    ['.', false],
    ['..', false],
    ['a\0', false],
    ['a\nb', false],
    ['\u0085', false],
  ])('returns for %j: %j', (text, expected) => {
    expect(isUserId(text)).toBe(expected);
  });

  test('accepts exactly the values that the body schema accepts', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.integer({ min: 250, max: 260 }).map((length) => 'x'.repeat(length)),
      fc.constantFrom('', '.', '..', '...'),
    );
    fc.assert(
      fc.property(text, (user_id) => {
        let isTaken = true;
        try {
          validate({ user_id });
        } catch {
          isTaken = false;
        }
        expect(isUserId(user_id)).toBe(isTaken);
      }),
    );
  });
});
