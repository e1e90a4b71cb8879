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

describe('a web push subscription', () => {
  const keys = {
    p256dh:
      'BNvLP_swI0KBo3RU243SwjSA92rPAP2OhL0NbRcR7748sMhZfgk84GBioVCKKTz65NNrrIx4WiS2qxuV7YmMyyU',
    auth: 'AAECAwQFBgcICQoLDA0ODw',
  };
  const push_subscription = { endpoint: 'https://push.example.net/send/abc?x=1', keys };

  test('is read with its optional expiration time, without padding', () => {
    const padded = { p256dh: `${keys.p256dh}=`, auth: `${keys.auth}==` };
    const body = { push_subscription: { ...push_subscription, keys: padded, expirationTime: 5.5 } };
    expect(deviceFromWire(validate(body))).toEqual({
      pushSubscription: { ...push_subscription, expirationTime: 5.5 },
      fields: {},
    });
    expect(deviceFromWire(validate({ push_subscription, fcm_token: ' ' }))).toEqual({
      pushSubscription: push_subscription,
      fields: {},
    });
  });

  const at = 'push_subscription';
  const endpointProblem =
    'must be an https URL as the browser returned it, without user name, password or fragment';
  const pointProblem = 'must be an uncompressed P-256 point: 65 bytes in base64url';
  const withEndpoint = (endpoint: unknown) => ({ ...push_subscription, endpoint });
  const withKeys = (changes: object) => ({ ...push_subscription, keys: { ...keys, ...changes } });

  test.each<[string, unknown, string]>([
    ['no object', 'x', `${at} must be an object`],
    ['no endpoint', { keys }, `${at}.endpoint ${endpointProblem}`],
    ['no keys', { endpoint: push_subscription.endpoint }, `${at}.keys must not be null`],
    ['plain HTTP', withEndpoint('http://push.example.net/x'), `${at}.endpoint ${endpointProblem}`],
    ['a script', withEndpoint('javascript:alert(1)'), `${at}.endpoint ${endpointProblem}`],
    [
      'a password',
      withEndpoint('https://a:b@push.example.net/'),
      `${at}.endpoint ${endpointProblem}`,
    ],
    [
      'a fragment',
      withEndpoint('https://push.example.net/x#y'),
      `${at}.endpoint ${endpointProblem}`,
    ],
    [
      'another spelling',
      withEndpoint('https://PUSH.example.net/x'),
      `${at}.endpoint ${endpointProblem}`,
    ],
    [
      'a line break',
      withEndpoint('https://push.example.net/x\n'),
      `${at}.endpoint ${endpointProblem}`,
    ],
    [
      'a host with other letters',
      withEndpoint('https://püsh.example.net/'),
      `${at}.endpoint ${endpointProblem}`,
    ],
    [
      'a long endpoint',
      withEndpoint(`https://push.example.net/${'x'.repeat(2_024)}`),
      `${at}.endpoint must be at most 2048 characters`,
    ],
    [
      'a compressed point',
      withKeys({ p256dh: `A${keys.p256dh.slice(1)}` }),
      `${at}.keys.p256dh ${pointProblem}`,
    ],
    [
      'a point that is not on the curve',
      withKeys({ p256dh: `${keys.p256dh.slice(0, -2)}AA` }),
      `${at}.keys.p256dh ${pointProblem}`,
    ],
    [
      'a short point',
      withKeys({ p256dh: keys.p256dh.slice(1) }),
      `${at}.keys.p256dh ${pointProblem}`,
    ],
    [
      'base64',
      withKeys({ p256dh: keys.p256dh.replace('_', '/') }),
      `${at}.keys.p256dh ${pointProblem}`,
    ],
    ['no auth', withKeys({ auth: undefined }), `${at}.keys.auth must be 16 bytes in base64url`],
    [
      'a short auth',
      withKeys({ auth: 'AAECAwQFBgcICQoLDA0OD' }),
      `${at}.keys.auth must be 16 bytes in base64url`,
    ],
    ['an empty object', {}, `${at}.endpoint ${endpointProblem}`],
    [
      'a time as text',
      { ...push_subscription, expirationTime: '5' },
      `${at}.expirationTime must be a number`,
    ],
  ])('is refused with %s, and the field is named', (_what, value, problem) => {
    expect(() => validate({ push_subscription: value })).toThrow(
      expect.objectContaining({ message: problem }),
    );
  });

  test('of 2,048 characters is accepted', () => {
    const endpoint = `https://push.example.net/${'x'.repeat(2_023)}`;
    expect(endpoint).toHaveLength(2_048);
    expect(validate({ push_subscription: withEndpoint(endpoint) })).toBeDefined();
  });

  test('cannot come with an FCM token, and an FCM token is no URL', () => {
    const both = { push_subscription, fcm_token: 't' };
    expect(() => deviceFromWire(validate(both))).toThrow(
      new AppError('validation_failed', 'push_subscription must not be sent with fcm_token'),
    );
    expect(() => validate({ fcm_token: ' https://push.example.net/x' })).toThrow(
      'fcm_token must be an FCM token: send a web push subscription as push_subscription',
    );
  });

  test('is returned as it was sent, without an FCM token', () => {
    const device = {
      ...{ deviceSid: 'sid', clientId: null, platform: 'web', fields: {} },
      ...{ notificationsDisabled: false, createdAtMs: 1, updatedAtMs: 2 },
      token: push_subscription.endpoint,
      subscription: { ...keys, expirationTime: 7 },
    };
    const wire = deviceToWire(device, 'u');
    expect(wire).toMatchObject({ push_subscription: { ...push_subscription, expirationTime: 7 } });
    expect(JSON.stringify(wire)).not.toContain('fcm_token');
  });
});

describe('deviceToWire', () => {
  test('omits fields that are not stored', () => {
    const device = {
      deviceSid: 'sid',
      clientId: null,
      token: null,
      subscription: null,
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
