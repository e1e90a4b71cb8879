import { type Static, Type } from '@sinclair/typebox';
import { limits } from './limits';

const cancelKeyText = {
  minLength: 1,
  maxLength: limits.cancelKeyCharacters,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  'x-problem': 'must not be empty or contain control characters',
};

export const wireCancelKey = Type.String({
  ...cancelKeyText,
  description:
    'Your name for what this message is about, such as `order-A-1001`. `events/cancel` cancels all messages of the app with this key. Many sends can share a key. Compared as bytes.',
});

/** An empty text is no `user_id`, so it must not match users without one. */
const userId = Type.String({
  maxLength: limits.userIdCharacters,
  pattern: '^(?!\\.{1,2}$)[^\\u0000-\\u001f\\u007f-\\u009f]+$',
  'x-problem': 'must be a user ID: not empty, without control characters, not "." or ".."',
});

export const cancelBody = Type.Object({
  cancel_key: Type.Optional(
    Type.String({ ...cancelKeyText, description: 'The `cancel_key` of the sends.' }),
  ),
  request_id: Type.Optional(
    Type.String({
      maxLength: limits.identifierCharacters,
      description: 'The `request_id` of one send, instead of a `cancel_key`.',
    }),
  ),
  user_ids: Type.Optional(
    Type.Array(userId, {
      minItems: 1,
      maxItems: limits.cancelUsers,
      'x-problem': 'must not be empty',
      description: `Cancels only messages whose \`user\` had one of these \`user_id\`s; at most ${limits.cancelUsers.toLocaleString('en')}. Without it, all.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: limits.identifierCharacters,
      description: '`next` of the previous response, to cancel the rest.',
    }),
  ),
});

export type CancelBody = Static<typeof cancelBody>;

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const cancelAnswer = Type.Object({
  cancelled: count(
    'Messages that are cancelled, by this call or before. An item that was not planned yet counts once for each channel of the event.',
  ),
  too_late: count(
    'Messages that could not be cancelled: a provider is being called or was called, or they are final.',
  ),
  unknown: count(
    'Values that match no message: each of the `user_ids`, or, without `user_ids`, the `cancel_key`.',
  ),
  next: Type.Optional(
    Type.String({
      description: 'More messages have this key: repeat the call with this `cursor`.',
    }),
  ),
});

export type CancelAnswer = Static<typeof cancelAnswer>;
