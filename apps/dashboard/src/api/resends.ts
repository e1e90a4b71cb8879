import type { LogFilters } from './log';

/** GET api/apps/:appId/resends/count?<filters of the log>: counts what would be resent; sends nothing. */
export type ResendCountAnswer = {
  /** The filters for the start call. They include the end of the counted period, so later requests are excluded. */
  filters: LogFilters;
  /** Exact unless `isOver` is true. */
  messages: number;
  /** More than `max` messages match; the filter must be narrowed. */
  isOver: boolean;
  max: number;
  channels: Counted[];
  /** Counts by state, each with a warning about resending; null if there is none. */
  states: (Counted & { warning: string | null })[];
  /** Number of these messages that a recipient may get twice. */
  mayDuplicate: number;
  /** Matching messages that cannot be resent. */
  leftOut: LeftOut[];
  /** Rates to choose from, in messages per second. */
  paces: readonly number[];
};

export type Counted = { name: string; messages: number };
export type LeftOut = { reason: string; means: string; messages: number };

/**
 * POST api/apps/:appId/resends; answers ResendRunAnswer. 409 `needs_confirmation` if more than `confirmed` messages
 * match now, 409 `wrong_state` while another run of the app is active.
 */
export type StartResendBody = { filters: LogFilters; confirmed: number; perSecond: number };

/** GET api/apps/:appId/resends: the newest 50. */
export type ResendListAnswer = { runs: ResendRun[] };

export type ResendRun = {
  id: string;
  /** `paused`: all sending of the app is paused, including the run. */
  state: 'running' | 'paused' | 'finished' | 'cancelled';
  /** The confirmed filters; addresses are masked. */
  filters: LogFilters;
  /** The sum of `resent`, `skipped`, `cancelled` and `left`. */
  matched: number;
  resent: number;
  skipped: number;
  cancelled: number;
  left: number;
  perSecond: number;
  createdAt: number;
  createdBy: string | null;
  finishedAt: number | null;
  cancelledBy: string | null;
};

/** GET api/apps/:appId/resends/:resendId; POST .../cancel has the same answer. */
export type ResendRunAnswer = ResendRun & {
  skips: LeftOut[];
  /** Current states of the resent messages. */
  states: { channel: string; state: string; messages: number }[];
  /** Up to 100 messages; skipped and failed ones first. */
  messages: ResentMessage[];
  /** No process has the role `fanout`, so the run waits. Nothing is lost. */
  hasNoWorker: boolean;
  readAt: number;
};

export type ResentMessage = {
  messageId: string;
  /** Null if retention deleted it. */
  requestId: string | null;
  channel: string | null;
  target: string | null;
  stateThen: string;
  /** `resent`, the reason it was skipped, or null while pending. */
  outcome: string | null;
  newMessageId: string | null;
  newState: string | null;
};
