import { type Static, Type } from '@sinclair/typebox';
import { userId } from './inbox';
import { limits } from './limits';
import { pushStatusBody } from './push-status';

// Bodies of the routes that browser SDKs call besides the inbox.

export const sdkUserBody = Type.Object({ user_id: userId });

const topics = Type.Array(
  Type.String({
    pattern: '^[A-Za-z0-9_.~%-]{1,900}$',
    'x-problem': `must have 1 to ${limits.pushTopicCharacters} characters: letters, digits and - _ . ~ %`,
  }),
  { minItems: 1, maxItems: limits.topicsOfCall, description: 'FCM topics.' },
);

export const topicsBody = Type.Object(
  {
    user_id: Type.Optional(userId),
    device_id: Type.Optional(Type.String({ maxLength: limits.pushTokenCharacters })),
    fcm_token: Type.Optional(Type.String({ maxLength: limits.pushTokenCharacters })),
    topics,
  },
  {
    description:
      'With `user_id`: all enabled FCM devices of the user. Before sign-in: the token as `device_id` and `fcm_token`.',
  },
);

export type TopicsBody = Static<typeof topicsBody>;

const { notification_id, timestamp, current_timestamp } = pushStatusBody.properties;

export const inAppStatusBody = Type.Object({
  notification_id,
  status: Type.Unsafe<'DELIVERED'>({ type: 'string', enum: ['DELIVERED'] }),
  timestamp,
  current_timestamp,
});

export const webPushKeyAnswer = Type.Object({
  public_key: Type.String({
    description: 'The `applicationServerKey` for `pushManager.subscribe()`, in base64url.',
  }),
});
