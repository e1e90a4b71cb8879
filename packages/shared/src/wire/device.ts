import { type Static, Type } from '@sinclair/typebox';
import { limits } from './limits';
import { definedOnly } from './members';

export type DeviceBody = Static<typeof deviceBody>;

/** The changes of a device write; absent fields stay. */
export type DeviceChange = {
  clientId?: string;
  fcmToken?: string;
  platform?: string;
  notificationsDisabled?: boolean;
  /** Tokens of other vendors, under their wire names. */
  fields: Record<string, string>;
};

export type StoredDevice = {
  deviceSid: string;
  clientId: string | null;
  fcmToken: string | null;
  platform: string | null;
  fields: Record<string, string>;
  notificationsDisabled: boolean;
  createdAtMs: number;
  updatedAtMs: number;
};

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
        description: 'FCM registration token. Only one device of an app can have it.',
      }),
    ),
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
      Type.Boolean({ description: 'Writing an `fcm_token` without it sets it to false.' }),
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
  platform: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...platforms] })),
  notifications_disabled: Type.Boolean(),
  ...otherTokens,
  created_at: Type.Integer({ description: 'Unix milliseconds.' }),
  updated_at: Type.Integer({ description: 'Unix milliseconds.' }),
});

export function deviceFromWire(body: DeviceBody): DeviceChange {
  return {
    ...definedOnly({
      clientId: trimText(body.id),
      fcmToken: trimText(body.fcm_token),
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
    fcm_token: device.fcmToken ?? undefined,
    platform: device.platform ?? undefined,
    notifications_disabled: device.notificationsDisabled,
    ...Object.fromEntries(otherTokenNames.map((name) => [name, device.fields[name]])),
    created_at: device.createdAtMs,
    updated_at: device.updatedAtMs,
  };
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
