import { withInterfaceNames } from './user-names';

describe('withInterfaceNames', () => {
  test('renames the members of `user` to interface names, and leaves other members', () => {
    const user = {
      ...{ userId: 'u', whatsappMobile: '+1', onesignalExternalId: 'os', fcmTokens: ['f'] },
      ...{ iosTokens: ['i'], fcmTopic: 't', fcmDeviceGroup: 'g', onesignalPlayerIds: ['p'] },
      ...{ email: 'a@example.com', slack: { accessToken: 'x', channelId: 'C', email: 'b' } },
      telegram: { chatId: '42' },
    };
    const data = { userId: 'kept', slack: { accessToken: 'kept' } };
    expect(withInterfaceNames({ event: 'e', data, user })).toEqual({
      event: 'e',
      data,
      user: {
        ...{ user_id: 'u', whatsapp_mobile: '+1', onesignal_external_id: 'os', fcm_tokens: ['f'] },
        ...{ ios_tokens: ['i'], fcm_topic: 't', fcm_device_group: 'g' },
        ...{ onesignal_player_ids: ['p'], email: 'a@example.com', telegram: { chat_id: '42' } },
        slack: { access_token: 'x', channel_id: 'C', email: 'b' },
      },
    });
  });

  test('prefers the interface name, whichever comes first', () => {
    const user = { userId: 'camel', user_id: 'snake', slack: { channel_id: 'S', channelId: 'C' } };
    expect(withInterfaceNames({ user })).toEqual({
      user: { user_id: 'snake', slack: { channel_id: 'S' } },
    });
  });

  test.each([
    [{ event: 'e', user: { user_id: 'u', slack: { email: 'a' } } }],
    [{ event: 'e' }],
    [{ user: ['userId'] }],
    [{ user: 'userId' }],
    [['userId']],
    [null],
  ])('does not copy %j', (item) => {
    expect(withInterfaceNames(item)).toBe(item);
  });

  test('does not rename inherited properties', () => {
    const user = { userId: 'u', toString: 'x' };
    expect(withInterfaceNames({ user })).toEqual({ user: { user_id: 'u', toString: 'x' } });
  });
});
