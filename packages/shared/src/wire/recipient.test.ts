import { createWireUser, recipientFromWire, type WireUser } from './recipient';
import { createValidator } from './validate';

const validate = createValidator(createWireUser({}));

describe('recipientFromWire', () => {
  test('reads and trims every field of the interface', () => {
    const user: WireUser = {
      user_id: 'u1',
      email: ' a@example.com ',
      mobile: '+1 415 555 0123',
      whatsapp_mobile: '+44',
      slack: { access_token: ' xoxb-1 ', channel_id: 'C1', email: 'b@example.com' },
      telegram: { chat_id: ' 42 ' },
      onesignal_external_id: 'os',
      onesignal_player_ids: [' p1 ', ''],
      fcm_tokens: [' t1 ', ''],
      ios_tokens: ['t2'],
      fcm_topic: 'news',
      fcm_device_group: ' g ',
      preferences: {
        locale: ' de ',
        disabled: false,
        channel_preferences: { sms: { disabled: true } },
      },
    };
    expect(recipientFromWire(user, [])).toEqual({
      userId: 'u1',
      email: 'a@example.com',
      mobile: '+1 415 555 0123',
      whatsappMobile: '+44',
      slack: { accessToken: 'xoxb-1', channelId: 'C1', email: 'b@example.com' },
      telegram: { chatId: '42' },
      onesignalExternalId: 'os',
      onesignalPlayerIds: ['p1'],
      fcmTokens: ['t1'],
      iosTokens: ['t2'],
      fcmTopics: ['news'],
      fcmDeviceGroups: ['g'],
      preferences: {
        locale: 'de',
        disabled: false,
        channelPreferences: { sms: { disabled: true } },
      },
    });
  });

  test('treats empty values as absent, so that they do not hide stored ones', () => {
    const user: WireUser = {
      user_id: '',
      email: '',
      mobile: '  ',
      whatsapp_mobile: '',
      slack: { access_token: '', channel_id: 'C1', email: ' ' },
      telegram: { chat_id: '' },
      fcm_tokens: [],
      ios_tokens: [''],
      fcm_topic: '',
      fcm_device_group: [''],
      onesignal_player_ids: [],
    };
    expect(Object.keys(recipientFromWire(user, ['teams']))).toEqual(['slack']);
    expect(recipientFromWire(user, [])).toEqual({ slack: { channelId: 'C1' } });
  });

  test('reads one topic or a list of topics', () => {
    expect(recipientFromWire({ fcm_topic: [' a ', '', 'b'] }, [])).toEqual({
      fcmTopics: ['a', 'b'],
    });
    expect(recipientFromWire({ fcm_topic: [''] }, [])).toEqual({});
  });

  test.each([
    [-1_001_234_567_890, '-1001234567890'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['-1001234567890', '-1001234567890'],
    ['9223372036854775807', '9223372036854775807'],
  ])('keeps the chat_id %j as text without losing digits', (chat_id, chatId) => {
    expect(recipientFromWire({ telegram: { chat_id } }, [])).toEqual({ telegram: { chatId } });
  });

  test.each([
    [1.5, 'telegram.chat_id must be a string or a whole number'],
    [true, 'telegram.chat_id must be a string or a whole number'],
    [{}, 'telegram.chat_id must be a string or a whole number'],
    ['4'.repeat(256), 'telegram.chat_id must be at most 255 characters'],
  ])('rejects the chat_id %j', (chat_id, sentence) => {
    expect(() => validate({ telegram: { chat_id } })).toThrow(sentence);
  });

  test('keeps a user_id byte for byte', () => {
    expect(recipientFromWire({ user_id: ' u1 ' }, [])).toEqual({ userId: ' u1 ' });
  });

  test('keeps only extra fields that channels declare, under their wire names', () => {
    const user: WireUser = { teams_id: ' T1 ', pager: { number: 7 }, empty: '', fax: '1' };
    expect(recipientFromWire(user, ['teams_id', 'pager', 'empty', 'absent'])).toEqual({
      extra: { teams_id: 'T1', pager: { number: 7 } },
    });
  });
});
