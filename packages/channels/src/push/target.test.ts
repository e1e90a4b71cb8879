import type { Recipient } from '@belfry/shared';
import { push } from './channel';
import { getPushProvider } from './target';

const find = (recipient: Recipient) => push.findTargets(recipient);

describe('the targets of a push', () => {
  test('are the stored user’s devices with notifications on, one message each', () => {
    const devices = [
      { id: 'd1', token: 'phone' },
      { id: 'd2', token: 'off', disabled: 'by_client' as const },
      { id: 'd3', token: 'dead', disabled: 'by_provider' as const },
      { id: 'd4', token: 'browser' },
    ];
    expect(find({ devices })).toEqual({
      targets: [
        { address: 'phone', deviceId: 'd1' },
        { address: 'browser', deviceId: 'd4' },
      ],
    });
  });

  test('are the tokens and topics in the call, each once, instead of the stored devices', () => {
    expect(
      find({
        fcmTokens: ['a', ' b ', 'a'],
        iosTokens: ['c', 'b'],
        fcmTopics: ['news', '/topics/news', 'a_b-c.d~e%f'],
        devices: [{ id: 'd1', token: 'stored' }],
      }),
    ).toEqual({
      targets: ['a', 'b', 'c', '/topics/news', '/topics/a_b-c.d~e%f'].map((address) => ({
        address,
      })),
    });
  });

  // firebase.google.com/docs/cloud-messaging/android/device-group: v1 takes the notification key as a token.
  test('include each device group in the call, by its notification key', () => {
    const recipient: Recipient = {
      fcmTokens: ['a'],
      fcmDeviceGroups: ['group:1', ' group:2 ', 'a'],
      devices: [{ id: 'd1', token: 'stored' }],
    };
    expect(find(recipient)).toEqual({
      targets: ['a', 'group:1', 'group:2'].map((address) => ({ address })),
    });
  });

  test('exclude devices that are only subscribed with another service', () => {
    const devices = [{ id: 'd1', onesignalPlayerId: 'p' }];
    expect(find({ devices })).toMatchObject({ skip: 'no_address' });
  });

  test.each<[string, Recipient, string]>([
    ['no address', {}, 'no_address'],
    ['no device with a token', { devices: [] }, 'no_address'],
    ['a token with a space', { fcmTokens: ['a b'] }, 'invalid_address'],
    ['a token with a line break in it', { fcmTokens: ['a\r\nb'] }, 'invalid_address'],
    ['a token with a line break', { fcmTopics: ['my news'] }, 'invalid_address'],
    ['a topic that is a path', { fcmTopics: ['a/../b'] }, 'invalid_address'],
    [
      'devices that are all off, one switched off by its owner',
      {
        devices: [
          { id: 'd1', token: 'a', disabled: 'by_provider' },
          { id: 'd2', token: 'b', disabled: 'by_client' },
        ],
      },
      'opted_out',
    ],
    [
      'devices whose tokens are all dead',
      { devices: [{ id: 'd1', token: 'a', disabled: 'by_provider' }] },
      'suppressed',
    ],
  ])('are missing with %s', (_what, recipient, skip) => {
    expect(find(recipient)).toEqual({ skip, detail: expect.stringMatching(/^The|^Not/) });
  });

  test('are the endpoints of stored web push subscriptions, beside FCM tokens; the target selects the provider', () => {
    const endpoint = 'https://push.example.net/send/abc';
    const devices = [
      { id: 'd1', token: endpoint },
      { id: 'd2', token: 'phone' },
    ];
    expect(find({ devices })).toEqual({
      targets: [
        { address: endpoint, deviceId: 'd1' },
        { address: 'phone', deviceId: 'd2' },
      ],
    });
    expect([endpoint, 'phone', '/topics/news', 'https'].map(getPushProvider)).toEqual([
      ...['web_push', 'fcm', 'fcm', 'fcm'],
    ]);
    for (const name of ['web_push', 'fcm']) expect(push.providers).toHaveProperty(name);
  });

  test('are never an endpoint that a call names, whose keys nobody knows', () => {
    expect(find({ fcmTokens: ['https://push.example.net/send/abc'] })).toMatchObject({
      skip: 'invalid_address',
    });
  });

  test('include a malformed token among others, whose message fails visibly', () => {
    expect(find({ fcmTokens: ['good', 'a b'] })).toEqual({
      targets: [{ address: 'good' }, { address: 'a b' }],
    });
  });
});
