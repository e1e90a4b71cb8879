import { AppError } from '../errors';
import { deviceBody, deviceFromWire, deviceToWire, isDeviceId } from './device';
import { createValidator } from './validate';

const validate = createValidator(deviceBody);

describe('deviceFromWire', () => {
  test.each<[string, object, object]>([
    ['nothing', {}, { fields: {} }],
    [
      'texts, trimmed',
      { id: ' p ', fcm_token: ' t ' },
      { clientId: 'p', fcmToken: 't', fields: {} },
    ],
    [
      'empty strings as absent',
      { id: '', fcm_token: ' ', platform: '', oppo_token: '' },
      { fields: {} },
    ],
    ['the platform in any letter case', { platform: 'iOS' }, { platform: 'ios', fields: {} }],
    ['a flag', { notifications_disabled: false }, { notificationsDisabled: false, fields: {} }],
    [
      'tokens of other vendors',
      { huaweiToken: 'h', xiaomi_token: ' x ' },
      { fields: { huaweiToken: 'h', xiaomi_token: 'x' } },
    ],
    ['no unknown keys', { raven_id: 1, created_at: 'x', device_sid: {} }, { fields: {} }],
  ])('reads %s', (_, body, expected) => {
    expect(deviceFromWire(validate(body))).toEqual(expected);
  });

  test.each(['windows', 'androids', ' ios', 'web\n'])('rejects the platform %j', (platform) => {
    expect(() => validate({ platform })).toThrow(
      new AppError('validation_failed', 'platform must be one of android, web, ios'),
    );
  });
});

describe('deviceToWire', () => {
  test('omits fields that are not stored', () => {
    const device = {
      deviceSid: 'sid',
      clientId: null,
      fcmToken: null,
      platform: null,
      fields: { vivo_token: 'v' },
      notificationsDisabled: true,
      createdAtMs: 1,
      updatedAtMs: 2,
    };
    expect(JSON.stringify(deviceToWire(device, 'u'))).toBe(
      '{"id":"sid","device_sid":"sid","raven_id":"u","notifications_disabled":true,"vivo_token":"v","created_at":1,"updated_at":2}',
    );
    expect(deviceToWire({ ...device, clientId: 'p' }, 'u')).toMatchObject({ id: 'p' });
  });
});

describe('isDeviceId', () => {
  test.each<[string, boolean]>([
    ['phone', true],
    ['', false],
    ['a\0', false],
    ['x'.repeat(255), true],
    ['x'.repeat(3_000), false],
  ])('returns for %j: %j', (text, expected) => {
    expect(isDeviceId(text)).toBe(expected);
  });
});
