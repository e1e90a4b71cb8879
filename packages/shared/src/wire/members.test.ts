import fc from 'fast-check';
import type { Json } from '../data';
import { withInterfaceNames, withoutNulls } from './members';

describe('withoutNulls', () => {
  test('drops null members at every depth, except inside data', () => {
    const body = {
      event: 'e',
      override: null,
      user: { email: null, slack: { access_token: null, email: 'a' } },
      data: { name: null, list: [null, { a: null }] },
    };
    expect(withoutNulls(body)).toEqual({
      event: 'e',
      user: { slack: { email: 'a' } },
      data: { name: null, list: [null, { a: null }] },
    });
  });

  test('drops a data that is null itself', () => {
    expect(withoutNulls({ event: 'e', data: null })).toEqual({ event: 'e' });
  });

  test('drops them in each element of a batch', () => {
    const batch = [{ user: { email: null }, data: { a: null }, override: null }, null];
    expect(withoutNulls({ batch })).toEqual({ batch: [{ user: {}, data: { a: null } }, null] });
  });

  test('keeps the length of arrays', () => {
    expect(withoutNulls({ user: { fcm_tokens: ['a', null] } })).toEqual({
      user: { fcm_tokens: ['a', null] },
    });
  });

  test('keeps nulls only in members named data that the wire format defines', () => {
    expect(withoutNulls({ user: { data: { a: null } } })).toEqual({ user: { data: {} } });
  });

  test('returns the same value if it has no null', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes('null'));
        // Safe cast: a parsed JSON value is Json.
        expect(withoutNulls(value as Json)).toBe(value);
      }),
    );
  });
});

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
