import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../errors';
import { limits } from './limits';
import { definedOnly } from './members';
import {
  normalizeSubscription,
  type PushSubscription,
  pushSubscription,
} from './push-subscription';

export type DeviceBody = Static<typeof deviceBody>;

/** The changes of a device write; absent fields stay. */
export type DeviceChange = {
  clientId?: string;
  /** Never together with `pushSubscription`. */
  fcmToken?: string;
  pushSubscription?: PushSubscription;
  platform?: string;
  notificationsDisabled?: boolean;
  /** Tokens of other vendors, under their wire names. */
  fields: Record<string, string>;
};

export type StoredDevice = {
  deviceSid: string;
  clientId: string | null;
  /** FCM token, or the endpoint of a web push subscription. */
  token: string | null;
  /** Keys of a web push subscription. */
  subscription: StoredSubscription | null;
  platform: string | null;
  fields: Record<string, string>;
  notificationsDisabled: boolean;
  createdAtMs: number;
  updatedAtMs: number;
};

/** A web push subscription without its endpoint, which is the token of its device. */
export type StoredSubscription = PushSubscription['keys'] &
  Pick<PushSubscription, 'expirationTime'>;

const platforms = ['android', 'web', 'ios'] as const;

const unusedToken = Type.String({
  maxLength: limits.pushTokenCharacters,
  description: 'Stored and returned. No message is sent to it.',
});

const otherTokens = {
  onesignal_player_id: Type.Optional(
    Type.String({
      maxLength: limits.identifierCharacters,
      description:
        'OneSignal subscription id (a UUID). It receives OneSignal messages if neither the user nor the request has an external id, and the request has no `onesignal_player_ids`.',
    }),
  ),
  xiaomi_token: Type.Optional(unusedToken),
  oppo_token: Type.Optional(unusedToken),
  vivo_token: Type.Optional(unusedToken),
  huaweiToken: Type.Optional(unusedToken),
};

const otherTokenNames = [
  'onesignal_player_id',
  'xiaomi_token',
  'oppo_token',
  'vivo_token',
  'huaweiToken',
] as const satisfies (keyof typeof otherTokens)[];

/** The body that adds or updates a device, without null members. */
export const deviceBody = Type.Object(
  {
    fcm_token: Type.Optional(
      Type.String({
        maxLength: limits.pushTokenCharacters,
        pattern: '^(?!\\s*https://)',
        'x-problem': 'must be an FCM token: send a web push subscription as push_subscription',
        description: 'FCM registration token. Only one device of an app can have it.',
      }),
    ),
    push_subscription: Type.Optional(pushSubscription),
    platform: Type.Optional(
      Type.String({
        pattern: `^(?:${platforms.map(toAnyCasePattern).join('|')})?$`,
        'x-problem': `must be one of ${platforms.join(', ')}`,
        'x-values': platforms,
        description: '`android`, `web` or `ios`, in any letter case.',
      }),
    ),
    id: Type.Optional(
      Type.String({
        maxLength: limits.identifierCharacters,
        description: 'The client’s own id of the device.',
      }),
    ),
    notifications_disabled: Type.Optional(
      Type.Boolean({
        description: 'Writing an `fcm_token` or a `push_subscription` without it sets it to false.',
      }),
    ),
    ...otherTokens,
  },
  { description: 'Null, an empty string or an absent field changes nothing.' },
);

/** Like `deviceBody`, but can name an existing device. */
export const newDeviceBody = Type.Object(
  {
    ...deviceBody.properties,
    device_sid: Type.Optional(
      Type.String({
        maxLength: limits.identifierCharacters,
        description: 'An existing device of this user, which is updated.',
      }),
    ),
  },
  { description: 'Null or an empty string counts as absent.' },
);

export const deviceAnswer = Type.Object({
  id: Type.String({ description: 'The client’s own id of the device, else its `device_sid`.' }),
  device_sid: Type.String({ format: 'uuid' }),
  raven_id: Type.String({ description: 'The `user_id` of the owner.' }),
  fcm_token: Type.Optional(Type.String()),
  push_subscription: Type.Optional(pushSubscription),
  platform: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...platforms] })),
  notifications_disabled: Type.Boolean(),
  ...otherTokens,
  created_at: Type.Integer({ description: 'Unix milliseconds.' }),
  updated_at: Type.Integer({ description: 'Unix milliseconds.' }),
});

/** Throws AppError if the device would hold two addresses. */
export function deviceFromWire(body: DeviceBody): DeviceChange {
  const fcmToken = trimText(body.fcm_token);
  if (fcmToken !== undefined && body.push_subscription) throw refuseTwoAddresses();
  return {
    ...definedOnly({
      clientId: trimText(body.id),
      fcmToken,
      pushSubscription: body.push_subscription && normalizeSubscription(body.push_subscription),
      platform: trimText(body.platform)?.toLowerCase(),
      notificationsDisabled: body.notifications_disabled,
    }),
    fields: Object.fromEntries(
      otherTokenNames.flatMap((name) => {
        const token = trimText(body[name]);
        return token === undefined ? [] : [[name, token] as const];
      }),
    ),
  };
}

export function deviceToWire(device: StoredDevice, ownerId: string): object {
  return {
    id: device.clientId ?? device.deviceSid,
    device_sid: device.deviceSid,
    raven_id: ownerId,
    ...addressToWire(device),
    platform: device.platform ?? undefined,
    notifications_disabled: device.notificationsDisabled,
    ...Object.fromEntries(otherTokenNames.map((name) => [name, device.fields[name]])),
    created_at: device.createdAtMs,
    updated_at: device.updatedAtMs,
  };
}

function addressToWire({ token, subscription }: StoredDevice): object {
  if (token === null) return {};
  if (!subscription) return { fcm_token: token };
  const { expirationTime, ...keys } = subscription;
  return { push_subscription: definedOnly({ endpoint: token, keys, expirationTime }) };
}

function refuseTwoAddresses(): AppError {
  const [path, problem] = ['push_subscription', 'must not be sent with fcm_token'];
  return new AppError('validation_failed', `${path} ${problem}`, { problems: [{ path, problem }] });
}

/** Whether a text can identify a device, as its `device_sid` or the client's own id. */
export function isDeviceId(text: string): boolean {
  return text !== '' && text.length <= 2 * limits.identifierCharacters && !text.includes('\0');
}

function trimText(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}

/** JSON Schema patterns have no case-insensitive flag. */
function toAnyCasePattern(word: string): string {
  return [...word].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('');
}
