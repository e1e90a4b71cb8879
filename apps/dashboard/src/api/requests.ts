import type { StateCounts } from '@belfry/shared';
import type { ChannelSummary } from './log';

/** GET api/apps/:appId/requests/:requestId?item=<n>: the timeline of one item; item 0 unless said. */
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
  peal: Record<string, ChannelSummary>;
  /** Counts of the whole request, as in its row of the log. */
  counts: StateCounts;
  channels: Record<string, ChannelSummary>;
  call: CallAnswer;
  /** Of the version that was pinned, in the order of the peal; several messages of one channel are several lanes. */
  lanes: ChannelRow[];
  /** When it was read; live pages ask again. */
  readAt: number;
};

/** What was asked, as stored; tokens are masked, a sensitive event's data too. */
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
  /** Why it waits, and until when. */
  waits: { reason: string; until: number | null; sentence: string } | null;
  dueAt: number | null;
  expiresAt: number;
  createdAt: number;
  settledAt: number | null;
  attempts: number;
  unknownCount: number;
  integration: { id: string; name: string; isRemoved: boolean } | null;
  resendOf: string | null;
  /** The resend by filter that made it. */
  resendRun: string | null;
  notes: Record<string, unknown>;
  steps: Step[];
  explanation: Explanation | null;
  /** What was rendered for the newest attempt, where it is kept. */
  rendered: unknown;
  can: {
    resend: { isAllowed: boolean; warning: string | null; because: string | null };
    cancel: { isAllowed: boolean; because: string | null };
  };
};

/** In time order. `at` is Unix milliseconds. */
export type Step =
  | { kind: 'planned'; at: number; detail: string }
  /** The integration was not called: the next one of the chain took over. */
  | { kind: 'passed_over'; at: number; integration: string; reason: string; detail: string }
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
  /** JSON, redacted and capped; null where none was kept. */
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

/** What happened, why, and what to do. */
export type Explanation = { what: string; remedy: string | null };

/** GET api/apps/:appId/requests/:requestId/explanation: what `command` prints, word by word; addresses are masked. */
export type ExplanationAnswer = { sentences: string[]; command: string; readAt: number };

/** POST api/apps/:appId/messages/:messageId/resend: 409 `needs_confirmation` for a delivered or unknown one. */
export type ResendBody = { confirm?: boolean };
export type ResendAnswer = { messageId: string; requestId: string; generation: number };

/** POST api/apps/:appId/messages/:messageId/cancel; answers Done. 409 `wrong_state` when it was sent meanwhile. */
