import { maxMessagesPerResend, maxMetadataTextCharacters, resendPaces } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import { createLogFilters, logFilters } from './log';
import type { RouteSpec } from './route-spec';
import { createChoice, nullable, time } from './schemas';

const counted = Type.Object({ name: Type.String(), messages: Type.Integer() });
export type Counted = Static<typeof counted>;

const leftOut = Type.Object({
  reason: Type.String(),
  means: Type.String(),
  messages: Type.Integer(),
});
export type LeftOut = Static<typeof leftOut>;

const resendCount = Type.Object({
  /** The filters for the start call. They include the end of the counted period, so later requests are excluded. */
  filters: logFilters,
  /** Exact unless `isOver` is true. */
  messages: Type.Integer(),
  /** More than `max` messages match; the filter must be narrowed. */
  isOver: Type.Boolean(),
  max: Type.Integer(),
  channels: Type.Array(counted),
  /** Counts by state, each with a warning about resending; null if there is none. */
  states: Type.Array(Type.Object({ ...counted.properties, warning: nullable(Type.String()) })),
  /** Number of these messages that would wait, because something is paused or needs attention. */
  waiting: Type.Integer(),
  /** Number of these messages that a recipient may get twice. */
  mayDuplicate: Type.Integer(),
  /** Matching messages that cannot be resent. */
  leftOut: Type.Array(leftOut),
  /** Rates to choose from, in messages per second. */
  paces: Type.Array(Type.Integer()),
});
export type ResendCountAnswer = Static<typeof resendCount>;

const resendRun = Type.Object({
  id: Type.String(),
  /** `paused`: all sending of the app is paused, including the run. */
  state: createChoice(['running', 'paused', 'finished', 'cancelled']),
  /** The confirmed filters; addresses are masked. */
  filters: logFilters,
  /** The sum of `resent`, `skipped`, `cancelled` and `left`. */
  matched: Type.Integer(),
  resent: Type.Integer(),
  skipped: Type.Integer(),
  cancelled: Type.Integer(),
  left: Type.Integer(),
  /** States of the resent messages now; null in a list that had read 20,000 messages before. */
  now: nullable(
    Type.Object({
      /** Queued or sending. */
      open: Type.Integer(),
      /** Sent, delivered or read. */
      accepted: Type.Integer(),
      /** Failed, skipped or unknown. */
      notDelivered: Type.Integer(),
    }),
  ),
  /** `succeeded` only if every message was resent and is sent, delivered or read. Null until it is certain. */
  result: nullable(createChoice(['succeeded', 'partly', 'failed'])),
  perSecond: Type.Integer(),
  createdAt: time,
  createdBy: nullable(Type.String()),
  finishedAt: nullable(time),
  cancelledBy: nullable(Type.String()),
});
export type ResendRun = Static<typeof resendRun>;

const resentMessage = Type.Object({
  messageId: Type.String(),
  /** Null if retention deleted it. */
  requestId: nullable(Type.String()),
  channel: nullable(Type.String()),
  target: nullable(Type.String()),
  stateThen: Type.String(),
  /** `resent`, the reason it was skipped, or null while pending. */
  outcome: nullable(Type.String()),
  newMessageId: nullable(Type.String()),
  newState: nullable(Type.String()),
});
export type ResentMessage = Static<typeof resentMessage>;

const resendProgress = Type.Object({
  ...resendRun.properties,
  skips: Type.Array(leftOut),
  /** Current states of the resent messages. */
  states: Type.Array(
    Type.Object({ channel: Type.String(), state: Type.String(), messages: Type.Integer() }),
  ),
  /** Up to 100 messages; skipped and failed ones first. */
  messages: Type.Array(resentMessage),
  /** No process has the role `fanout`, so the run waits. Nothing is lost. */
  hasNoWorker: Type.Boolean(),
  readAt: time,
});
export type ResendRunAnswer = Static<typeof resendProgress>;

const perSecond = Type.Unsafe<number>(
  Type.Union(
    resendPaces.map((pace) => Type.Literal(pace)),
    { 'x-problem': `must be one of ${resendPaces.join(', ')}` },
  ),
);

export const resendRoutes = {
  /** Counts what would be resent; sends nothing. */
  'GET /api/apps/:appId/resends/count': {
    access: 'viewer',
    query: logFilters,
    answer: resendCount,
  },
  /** The newest 50. */
  'GET /api/apps/:appId/resends': {
    access: 'viewer',
    answer: Type.Object({ runs: Type.Array(resendRun) }),
  },
  /**
   * 409 `needs_confirmation` if more than `confirmed` messages match now, or more in one state than `confirmedStates` says;
   * 409 `wrong_state` while another run of the app is active.
   */
  'POST /api/apps/:appId/resends': {
    access: 'editor',
    body: Type.Object({
      // Without the misspelt filter more messages would match.
      filters: createLogFilters(
        { minLength: 1, maxLength: maxMetadataTextCharacters },
        { additionalProperties: false },
      ),
      confirmed: Type.Integer({ minimum: 1, maximum: maxMessagesPerResend }),
      /** As counted, by state. */
      confirmedStates: Type.Optional(
        Type.Record(
          Type.String({ maxLength: 32 }),
          Type.Integer({ minimum: 0, maximum: maxMessagesPerResend }),
          { maxProperties: 20 },
        ),
      ),
      perSecond,
    }),
    answer: resendProgress,
    audit: 'resend.started',
  },
  'GET /api/apps/:appId/resends/:resendId': { access: 'viewer', answer: resendProgress },
  'POST /api/apps/:appId/resends/:resendId/cancel': {
    access: 'editor',
    answer: resendProgress,
    audit: 'resend.cancelled',
  },
} as const satisfies Record<string, RouteSpec>;
