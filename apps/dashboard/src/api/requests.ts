import type { StateCounts } from '@belfry/shared';
import type { ChannelSummary } from './log';

/** GET api/apps/:appId/requests/:requestId?item=<n>: the timeline of one item, by default item 0. */
export type RequestAnswer = {
  requestId: string;
  event: { id: string; name: string; isDeleted: boolean };
  version: { id: string; number: number; kind: 'live' | 'test' };
  kind: 'single' | 'bulk' | 'test' | 'resend';
  items: number;
  plannedItems: number;
  item: number;
  acceptedAt: number;
  apiKeyHint: string | null;
  idempotencyKey: string | null;
  isSandbox: boolean;
  isSensitive: boolean;
  /** Counts of this item. */
  itemChannels: Record<string, ChannelSummary>;
  /** Counts of the whole request, as in its log row. */
  counts: StateCounts;
  channels: Record<string, ChannelSummary>;
  call: CallAnswer;
  /** Rows for the channels of the pinned version, in channel order. A channel has one row per message. */
  channelRows: ChannelRow[];
  /** When the answer was read. */
  readAt: number;
};

/** The stored call. Tokens are masked, and so is the data of a sensitive event. */
export type CallAnswer = {
  user: unknown;
  data: unknown;
  override: unknown;
  locale: string | null;
  scheduleAt: string | null;
  answer: { status: number; body: unknown };
};

export type ChannelRow = SkippedChannelRow | MessageChannelRow;

export type SkippedChannelRow = {
  kind: 'skipped';
  channel: string;
  reason: string;
  detail: string;
  explanation: Explanation;
};

export type MessageChannelRow = {
  kind: 'message';
  messageId: string;
  channel: string;
  target: string;
  generation: number;
  state: string;
  reason: string | null;
  /** Why the message waits, and until when. */
  waits: { reason: string; until: number | null; sentence: string } | null;
  dueAt: number | null;
  expiresAt: number;
  createdAt: number;
  settledAt: number | null;
  attempts: number;
  unknownCount: number;
  integration: { id: string; name: string; isRemoved: boolean } | null;
  resendOf: string | null;
  /** The bulk resend that created it. */
  resendRun: string | null;
  notes: Record<string, unknown>;
  steps: Step[];
  explanation: Explanation | null;
  /** Rendered content of the newest attempt, if it is kept. */
  rendered: unknown;
  can: {
    resend: { isAllowed: boolean; warning: string | null; because: string | null };
    cancel: { isAllowed: boolean; because: string | null };
  };
};

/** In time order. `at` is Unix milliseconds. */
export type Step =
  | { kind: 'planned'; at: number; detail: string }
  /** Failover: this integration was not called, the next one of the chain was. */
  | { kind: 'failover'; at: number; integration: string; reason: string; detail: string }
  | AttemptStep
  | { kind: 'waited'; at: number; until: number | null; detail: string }
  | ReceiptStep
  | { kind: 'settled'; at: number; state: string; reason: string | null; detail: string };

export type AttemptStep = {
  kind: 'attempt';
  number: number;
  at: number;
  closedAt: number | null;
  /** Null while the call is open. */
  outcome: 'accepted' | 'rejected' | 'retry' | 'unknown' | null;
  reason: string | null;
  detail: string | null;
  provider: string | null;
  integration: string | null;
  worker: string | null;
  isPossibleDuplicate: boolean;
  providerMessageId: string | null;
  /** Redacted and truncated JSON; null if none is kept. */
  request: unknown;
  response: unknown;
  explanation: Explanation | null;
};

export type ReceiptStep = {
  kind: 'receipt';
  at: number;
  state: string;
  errorCode: string | null;
  detail: string | null;
  body: unknown;
};

/** `what` describes what happened and why; `remedy` what to do. */
export type Explanation = { what: string; remedy: string | null };

/** GET api/apps/:appId/requests/:requestId/explanation: the exact output of `command`; addresses are masked. */
export type ExplanationAnswer = { sentences: string[]; command: string; readAt: number };

/** POST api/apps/:appId/messages/:messageId/resend: 409 `needs_confirmation` for a delivered or unknown message. */
export type ResendBody = { confirm?: boolean };
export type ResendAnswer = { messageId: string; requestId: string; generation: number };

/** POST api/apps/:appId/messages/:messageId/cancel; answers Done. 409 `wrong_state` if it was sent in the meantime. */
