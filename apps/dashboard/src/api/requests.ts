import { type Static, Type } from '@sinclair/typebox';
import { channelSummaries, requestKind, stateCounts, wait } from './log';
import type { RouteSpec } from './route-spec';
import { anyObject, confirmSchema, createChoice, done, nullable, time } from './schemas';

const text = Type.String();

/** `what` describes what happened and why; `remedy` what to do. */
export const explanation = Type.Object({ what: text, remedy: nullable(text) });
export type Explanation = Static<typeof explanation>;

const attemptStep = Type.Object({
  kind: Type.Literal('attempt'),
  number: Type.Integer(),
  at: time,
  closedAt: nullable(time),
  /** Null while the call is open. */
  outcome: nullable(createChoice(['accepted', 'rejected', 'retry', 'unknown'])),
  reason: nullable(text),
  detail: nullable(text),
  provider: nullable(text),
  integration: nullable(text),
  worker: nullable(text),
  isPossibleDuplicate: Type.Boolean(),
  providerMessageId: nullable(text),
  /** Redacted and truncated JSON; null if none is kept. */
  request: Type.Unknown(),
  response: Type.Unknown(),
  explanation: nullable(explanation),
  /** The end of the call; `not_sent` if Belfry did not call the provider. Null while the call is open. */
  ending: nullable(createChoice(['accepted', 'refused', 'no_answer', 'not_sent', 'unclear'])),
});
export type AttemptStep = Static<typeof attemptStep>;

const receiptStep = Type.Object({
  kind: Type.Literal('receipt'),
  at: time,
  state: text,
  errorCode: nullable(text),
  detail: nullable(text),
  body: Type.Unknown(),
});
export type ReceiptStep = Static<typeof receiptStep>;

const step = Type.Union([
  Type.Object({ kind: Type.Literal('planned'), at: time, detail: text }),
  /** Failover: this integration was not called, the next one of the chain was. */
  Type.Object({
    kind: Type.Literal('failover'),
    at: time,
    integration: text,
    reason: text,
    detail: text,
  }),
  attemptStep,
  Type.Object({ kind: Type.Literal('waited'), at: time, until: nullable(time), detail: text }),
  receiptStep,
  Type.Object({
    kind: Type.Literal('settled'),
    at: time,
    state: text,
    reason: nullable(text),
    detail: text,
  }),
]);
export type Step = Static<typeof step>;

const skippedChannelRow = Type.Object({
  kind: Type.Literal('skipped'),
  channel: text,
  reason: text,
  detail: text,
  explanation,
});
export type SkippedChannelRow = Static<typeof skippedChannelRow>;

const messageChannelRow = Type.Object({
  kind: Type.Literal('message'),
  messageId: text,
  channel: text,
  target: text,
  generation: Type.Integer(),
  state: text,
  reason: nullable(text),
  /** Only while the message is queued. */
  waits: nullable(Type.Object({ ...wait.properties, sentence: text })),
  dueAt: nullable(time),
  expiresAt: time,
  createdAt: time,
  settledAt: nullable(time),
  attempts: Type.Integer(),
  unknownCount: Type.Integer(),
  integration: nullable(Type.Object({ id: text, name: text, isRemoved: Type.Boolean() })),
  resendOf: nullable(text),
  /** The bulk resend that created it. */
  resendRun: nullable(text),
  notes: anyObject,
  /** In time order. */
  steps: Type.Array(step),
  explanation: nullable(explanation),
  /** Rendered content of the newest attempt, if it is kept. */
  rendered: Type.Unknown(),
  /** Its newest capture in the sandbox, if there is one. */
  captureId: nullable(text),
  can: Type.Object({
    resend: Type.Object({
      isAllowed: Type.Boolean(),
      warning: nullable(text),
      because: nullable(text),
    }),
    cancel: Type.Object({ isAllowed: Type.Boolean(), because: nullable(text) }),
  }),
});
export type MessageChannelRow = Static<typeof messageChannelRow>;

const channelRow = Type.Union([skippedChannelRow, messageChannelRow]);
export type ChannelRow = Static<typeof channelRow>;

/** The stored call. Tokens are masked, and so is the data of a sensitive event. */
const storedCall = Type.Object({
  user: Type.Unknown(),
  data: Type.Unknown(),
  override: Type.Unknown(),
  locale: nullable(text),
  scheduleAt: nullable(text),
  /** Not masked, also of a sensitive event. */
  metadata: nullable(Type.Record(text, text)),
  cancelKey: nullable(text),
  answer: Type.Object({ status: Type.Integer(), body: Type.Unknown() }),
});
export type CallAnswer = Static<typeof storedCall>;

/** Messages of one channel with one state and reason; see `messages` of an item for what counts as one. */
const reasonGroup = Type.Object({
  channel: text,
  state: text,
  reason: nullable(text),
  count: Type.Integer(),
  /** Set for failed, unknown and skipped messages. */
  explanation: nullable(explanation),
});
export type ReasonGroup = Static<typeof reasonGroup>;

const request = Type.Object({
  requestId: text,
  event: Type.Object({ id: text, name: text, isDeleted: Type.Boolean() }),
  version: Type.Object({ id: text, number: Type.Integer(), kind: createChoice(['live', 'test']) }),
  kind: requestKind,
  items: Type.Integer(),
  plannedItems: Type.Integer(),
  item: Type.Integer(),
  acceptedAt: time,
  apiKeyHint: nullable(text),
  idempotencyKey: nullable(text),
  /** W3C trace ID of the call. */
  traceId: nullable(text),
  isSandbox: Type.Boolean(),
  isSensitive: Type.Boolean(),
  /** Counts of this item. */
  itemChannels: channelSummaries,
  /** Counts of the whole request, as in its log row. */
  counts: stateCounts,
  channels: channelSummaries,
  /** The counts by channel, state and reason: they add up to `counts`. In channel order, most messages first. */
  groups: Type.Array(reasonGroup),
  call: storedCall,
  /** Rows for the channels of the pinned version, in channel order. A channel has one row per message. */
  channelRows: Type.Array(channelRow),
  /** When the answer was read. */
  readAt: time,
});
export type RequestAnswer = Static<typeof request>;

export const requestRoutes = {
  /** The timeline of one item, by default item 0. */
  'GET /api/apps/:appId/requests/:requestId': {
    access: 'viewer',
    query: Type.Object({ item: Type.Optional(text) }),
    answer: request,
    hasSecret: true,
  },
  /** The exact output of `command`; addresses are masked. */
  'GET /api/apps/:appId/requests/:requestId/explanation': {
    access: 'viewer',
    answer: Type.Object({ sentences: Type.Array(text), command: text, readAt: time }),
  },
  /**
   * 409 `needs_confirmation` for a delivered or unknown message. With `confirmedState`, also if the message is not in that
   * state any more.
   */
  'POST /api/apps/:appId/messages/:messageId/resend': {
    access: 'editor',
    body: Type.Object({
      confirm: confirmSchema,
      confirmedState: Type.Optional(Type.String({ maxLength: 32 })),
    }),
    answer: Type.Object({ messageId: text, requestId: text, generation: Type.Integer() }),
    audit: 'message.resent',
  },
  /** 409 `wrong_state` if it was sent in the meantime. */
  'POST /api/apps/:appId/messages/:messageId/cancel': {
    access: 'editor',
    answer: done,
    audit: 'message.cancelled',
  },
} as const satisfies Record<string, RouteSpec>;
