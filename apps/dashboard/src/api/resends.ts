import type { LogFilters } from './log';

/** GET api/apps/:appId/resends/count?<filters of the log>: what would be sent again, without sending it. */
export type ResendCountAnswer = {
  /** To be given back: with the end of the time that was looked at, so that requests that come later are not meant. */
  filters: LogFilters;
  /** Exact, unless `isOver`. */
  messages: number;
  /** More than `max` match: the filter must be narrowed. */
  isOver: boolean;
  max: number;
  channels: Counted[];
  /** In which they are, each with what a person must know before it is sent again; null where nothing is to be said. */
  states: (Counted & { warning: string | null })[];
  /** Of them, those that somebody may get twice. */
  mayDuplicate: number;
  /** What the filter matches and cannot be sent again. */
  leftOut: LeftOut[];
  /** Messages a second to choose from. */
  paces: readonly number[];
};

export type Counted = { name: string; messages: number };
export type LeftOut = { reason: string; means: string; messages: number };

/**
 * POST api/apps/:appId/resends; answers ResendRunAnswer. 409 `needs_confirmation` when more than `confirmed` match by
 * now, 409 `wrong_state` while another run of the app goes on.
 */
export type StartResendBody = { filters: LogFilters; confirmed: number; perSecond: number };

/** GET api/apps/:appId/resends: the newest 50. */
export type ResendListAnswer = { runs: ResendRun[] };

export type ResendRun = {
  id: string;
  /** `held`: all that the app sends is paused, and the run with it. */
  state: 'running' | 'held' | 'finished' | 'cancelled';
  /** As it was confirmed; an address in it is masked. */
  filters: LogFilters;
  /** `resent`, `skipped`, `cancelled` and `left` together. */
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

/** GET api/apps/:appId/resends/:resendId; POST .../cancel answers the same. */
export type ResendRunAnswer = ResendRun & {
  skips: LeftOut[];
  /** How the messages are by now that were sent again. */
  states: { channel: string; state: string; messages: number }[];
  /** Up to 100: first what was left out or failed again. */
  messages: ResentMessage[];
  /** It goes on, and no process has the role `fanout`: nothing of it is lost, and nothing sent. */
  hasNoWorker: boolean;
  readAt: number;
};

export type ResentMessage = {
  messageId: string;
  /** Null where it was removed with time. */
  requestId: string | null;
  channel: string | null;
  target: string | null;
  stateThen: string;
  /** `resent`, why not, or null while it is still to come. */
  outcome: string | null;
  newMessageId: string | null;
  newState: string | null;
};
