import { type Static, Type } from '@sinclair/typebox';
import { explanation } from './requests';
import type { RouteSpec } from './route-spec';
import { anyObject, nullable, searchText, time } from './schemas';
import { suppressionRow } from './suppressions';

const userRow = Type.Object({
  /** The id in every path. Callers use `userId`. */
  sid: Type.String(),
  userId: Type.String(),
  email: nullable(Type.String()),
  mobile: nullable(Type.String()),
  /** The field that matched the search; null without a search. */
  matched: nullable(Type.String()),
  createdAt: time,
  updatedAt: time,
});
export type UserRow = Static<typeof userRow>;

const userList = Type.Object({
  users: Type.Array(userRow),
  /** Without `text`: the `after` of the next page. */
  next: nullable(Type.String()),
  /** More users match than are returned; a longer text narrows the result. */
  isPartial: Type.Boolean(),
});

/** A level of preferences. Without a channel it is for every channel, without a category for every optional event. */
const level = { channel: nullable(Type.String()), category: nullable(Type.String()) };

const preferenceSwitch = Type.Object({ ...level, isOff: Type.Boolean() });
export type PreferenceSwitch = Static<typeof preferenceSwitch>;

const userPreferences = Type.Object({
  locale: nullable(Type.String()),
  /** Stored values; the most specific one decides. Also of categories that the app no longer has. */
  switches: Type.Array(preferenceSwitch),
});
export type UserPreferences = Static<typeof userPreferences>;

const userDevice = Type.Object({
  sid: Type.String(),
  clientId: nullable(Type.String()),
  /** FCM token, or the masked endpoint of a web push subscription. */
  token: nullable(Type.String()),
  isWebPush: Type.Boolean(),
  onesignalPlayerId: nullable(Type.String()),
  platform: nullable(Type.String()),
  isDisabled: Type.Boolean(),
  /** The provider's error for the token; null if the app disabled it. */
  disabledReason: nullable(Type.String()),
  createdAt: time,
  updatedAt: time,
});
export type UserDevice = Static<typeof userDevice>;

const userAddress = Type.Object({
  channel: Type.String(),
  address: nullable(Type.String()),
  /** How the address was normalized, or why there is none. */
  note: nullable(Type.String()),
  /** Why no message reaches the address now, whatever event and sender it has. */
  obstacle: nullable(
    Type.Object({ reason: Type.String(), what: Type.String(), remedy: nullable(Type.String()) }),
  ),
});
export type UserAddress = Static<typeof userAddress>;

const user = Type.Object({
  sid: Type.String(),
  userId: Type.String(),
  createdAt: time,
  updatedAt: time,
  /** Contact data in wire names; the Slack token is masked. */
  contact: anyObject,
  preferences: userPreferences,
  devices: Type.Array(userDevice),
  /** The address each channel would use now, or why there is none. */
  addresses: Type.Array(userAddress),
  suppressions: Type.Array(suppressionRow),
});
export type UserAnswer = Static<typeof user>;

const userMessage = Type.Object({
  requestId: Type.String(),
  item: Type.Integer(),
  event: Type.String(),
  acceptedAt: time,
  /** Null if the channel was skipped when the request was planned. */
  messageId: nullable(Type.String()),
  target: nullable(Type.String()),
  state: Type.String(),
  reason: nullable(Type.String()),
  /** When it reached this state; null while it has not ended. */
  settledAt: nullable(time),
  explanation,
});
export type UserMessage = Static<typeof userMessage>;

const userMessages = Type.Object({
  /** In channel order. Each has its newest 3 messages and skips, newest first; a resent message is left out. */
  channels: Type.Array(Type.Object({ channel: Type.String(), messages: Type.Array(userMessage) })),
  readAt: time,
});
export type UserMessagesAnswer = Static<typeof userMessages>;

const erasureRow = Type.Object({
  id: Type.String(),
  userSid: Type.String(),
  /** Number of messages whose address and content were erased. */
  messages: Type.Integer(),
  erasedBy: nullable(Type.String()),
  at: time,
  /** Null while messages may still be in flight. */
  finishedAt: nullable(time),
});
export type ErasureRow = Static<typeof erasureRow>;

export const userRoutes = {
  /** Sorted by id; with `text`, users with an id or address that starts with it. */
  'GET /api/apps/:appId/users': {
    access: 'viewer',
    query: Type.Object({ text: searchText, after: searchText }),
    answer: userList,
  },
  'GET /api/apps/:appId/users/:userSid': { access: 'viewer', answer: user },
  /** Messages of requests that name the user, or to their addresses unless the request names another user. */
  'GET /api/apps/:appId/users/:userSid/messages': { access: 'viewer', answer: userMessages },
  /** Changes only these levels; null removes the value of a level. */
  'PUT /api/apps/:appId/users/:userSid/preferences': {
    access: 'editor',
    body: Type.Object({
      changes: Type.Array(
        Type.Object({ ...level, isOff: nullable(Type.Boolean()) }, { additionalProperties: false }),
        { minItems: 1, maxItems: 500, 'x-problem': 'must have 1 to 500 changes' },
      ),
    }),
    answer: userPreferences,
    audit: 'user.preferences_changed',
  },
  /** 409 `needs_confirmation` unless `confirmUserId` is the id of the user. */
  'DELETE /api/apps/:appId/users/:userSid': {
    access: 'editor',
    body: Type.Object({ confirmUserId: Type.String({ maxLength: 1_024 }) }),
    answer: erasureRow,
    audit: 'user.erased',
  },
  /** Newest first, 20. */
  'GET /api/apps/:appId/erasures': {
    access: 'viewer',
    answer: Type.Object({ erasures: Type.Array(erasureRow) }),
  },
} as const satisfies Record<string, RouteSpec>;
