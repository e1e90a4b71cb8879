import type { Recipient } from '@belfry/shared';
import { push } from './channel';

const find = (recipient: Recipient) => push.findTargets(recipient);

describe('whom a push goes to', () => {
  test('each device of the stored user that takes notifications, each for itself', () => {
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

  test('each token and topic that the call names, once, in place of the stored devices', () => {
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
  test('each device group that the call names, by its notification key', () => {
    const recipient: Recipient = {
      fcmTokens: ['a'],
      fcmDeviceGroups: ['group:1', ' group:2 ', 'a'],
      devices: [{ id: 'd1', token: 'stored' }],
    };
    expect(find(recipient)).toEqual({
      targets: ['a', 'group:1', 'group:2'].map((address) => ({ address })),
    });
  });

  test('no device that has the subscription of another service alone', () => {
    const devices = [{ id: 'd1', onesignalPlayerId: 'p' }];
    expect(find({ devices })).toMatchObject({ skip: 'no_address' });
  });

  test.each<[string, Recipient, string]>([
    ['nothing that it could go to', {}, 'no_address'],
    ['no device with a token', { devices: [] }, 'no_address'],
    ['a token with a space', { fcmTokens: ['a b'] }, 'invalid_address'],
    ['a token with a line break in it', { fcmTokens: ['a\r\nb'] }, 'invalid_address'],
    ['a topic with a space', { fcmTopics: ['my news'] }, 'invalid_address'],
    ['a topic that is a path', { fcmTopics: ['a/../b'] }, 'invalid_address'],
    [
      'devices that are all switched off, one by its owner',
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
  ])('is nobody with %s', (_what, recipient, skip) => {
    expect(find(recipient)).toEqual({ skip, detail: expect.stringMatching(/^The|^Not/) });
  });

  test('a token that is none among others has a message, which fails and is seen', () => {
    expect(find({ fcmTokens: ['good', 'a b'] })).toEqual({
      targets: [{ address: 'good' }, { address: 'a b' }],
    });
  });
});
