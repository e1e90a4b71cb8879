import { type Static, Type } from '@sinclair/typebox';
import { logFilters } from './log';
import type { RouteSpec } from './route-spec';
import { createChoice, nullable, time } from './schemas';

const findResult = Type.Object({
  kind: createChoice([
    'request',
    'message',
    'providerMessage',
    'resend',
    'recipient',
    'user',
    'event',
    'idempotencyKey',
    'metadata',
  ]),
  /** How the text was read: `phone number +12025550101`. */
  label: Type.String(),
  appId: Type.String(),
  /** The log filters that show the match; null for a resend. */
  filters: nullable(logFilters),
  /** The request of a request, message or provider's message, and its event. */
  requestId: Type.Optional(Type.String()),
  event: Type.Optional(Type.String()),
  resendId: Type.Optional(Type.String()),
  userSid: Type.Optional(Type.String()),
  /** Only the beginning of the user's ID or address is the text. */
  isPrefixMatch: Type.Optional(Type.Boolean()),
  eventId: Type.Optional(Type.String()),
});
export type FindResult = Static<typeof findResult>;

const findAnswer = Type.Object({
  /** Every reading of the text that was tried, as labels. */
  readings: Type.Array(Type.String()),
  found: Type.Array(findResult),
  /** Skipped recipients were only searched in requests since this time; null if in all. */
  skipsSearchedFrom: nullable(time),
});
export type FindAnswer = Static<typeof findAnswer>;

export const findRoutes = {
  /**
   * Tries each reading of a typed text: IDs of requests, messages, resends and providers in every app of the account;
   * phone numbers in any spelling, addresses, user IDs, event names, idempotency keys and metadata (as
   * `key:value`) only in `app`. Matches are exact; after them come up to 5 stored users whose ID or address begins with the
   * text. None for an empty text or one of more than 565 characters.
   */
  'GET /api/find': {
    access: 'viewer',
    query: Type.Object({
      text: Type.Optional(Type.String()),
      app: Type.Optional(Type.String()),
    }),
    answer: findAnswer,
  },
} as const satisfies Record<string, RouteSpec>;
