/**
 * Everything that a run observed, one entry per line of its file. Times are milliseconds of one monotonic clock; PostgreSQL's times
 * are converted to it. The checker reads nothing else.
 */
export type Entry =
  | RunEntry
  | KeyEntry
  | CallEntry
  | AnswerEntry
  | FaultEntry
  | SendEntry
  | RequestEntry
  | MessageEntry
  | AttemptEntry
  | StateEntry
  | WebhookEntry
  | LeakEntry
  | CrashEntry
  | ResourceEntry
  | EndEntry;

export type Policy = 'resend' | 'hold';

export type RunEntry = {
  type: 'run';
  seed: number;
  keys: number;
  isFull: boolean;
  commit: string;
  /** Number of processor cores of the machine. */
  cores: number;
  /** How long an idempotency key stays locked without its owner. */
  lockMs: number;
  /** Deadline of an attempt. */
  deadlineMs: number;
  /** Lease of an attempt on its message. */
  leaseMs: number;
  /** Maximum resends after an unknown outcome, and maximum attempts. */
  unknownResends: number;
  attempts: number;
};

/** One idempotency key, and the content of its calls. */
export type KeyEntry = {
  type: 'key';
  key: string;
  accountId: string;
  appId: string;
  policy: Policy;
  channels: string[];
  items: number;
};

/** `other` has another body under the same key; `stranger` uses the key of another account. */
export type Variant = 'same' | 'other' | 'stranger';

export type CallEntry = {
  type: 'call';
  call: number;
  atMs: number;
  key: string;
  variant: Variant;
  gateway: string;
};

export type AnswerEntry = {
  type: 'answer';
  call: number;
  atMs: number;
  /** 0 if the connection broke or there was no answer in time. */
  status: number;
  body: string;
  isReplay: boolean;
  hasRetryAfter: boolean;
};

/** From the start of the fault until its repair; for a process, until it was restarted. */
export type FaultEntry = {
  type: 'fault';
  name: string;
  /** The process or store that was hit. */
  target: string;
  /** The process ID that was killed or stopped, or whose link was broken. */
  pid: number | undefined;
  atMs: number;
  liftedMs: number;
  isKill: boolean;
  /** The exit code, if the process was asked to stop. */
  exitCode?: number | null;
};

/** A call that a provider accepted. */
export type SendEntry = {
  type: 'send';
  atMs: number;
  channel: string;
  target: string;
  /** The value by which the provider or receiver detects a duplicate; undefined if there is none. */
  dedupe: string | undefined;
  isAnswered: boolean;
  answeredMs: number;
};

export type RequestEntry = {
  type: 'request';
  id: string;
  accountId: string;
  appId: string;
  key: string;
  items: number;
};

export type MessageEntry = {
  type: 'message';
  id: string;
  requestId: string;
  item: number;
  channel: string;
  target: string;
  state: string;
  reason: string | undefined;
  attempts: number;
  unknownCount: number;
  settledMs: number | undefined;
};

export type AttemptEntry = {
  type: 'attempt';
  messageId: string;
  number: number;
  openedMs: number;
  closedMs: number | undefined;
  /** The process that made it. */
  pid: number | undefined;
  outcome: string | undefined;
  reason: string | undefined;
  isPossibleDuplicate: boolean;
};

/** A state that a message had, other than `queued` and `sending`. */
export type StateEntry = { type: 'state'; messageId: string; state: string };

/** A webhook that its receiver answered with success. */
export type WebhookEntry = {
  type: 'webhook';
  atMs: number;
  /** The header `webhook-id`. */
  id: string;
  messageId: string;
  state: string;
};

/** A secret or an address in a place where it must not be. */
export type LeakEntry = { type: 'leak'; what: string; place: string };

/** A process ended without a request. */
export type CrashEntry = {
  type: 'crash';
  name: string;
  pid: number;
  atMs: number;
  /** Its last output. */
  lastWords: string;
};

/** A process at the end of a run. */
export type ResourceEntry = {
  type: 'resource';
  name: string;
  residentBytes: number;
  handles: number;
};

export type EndEntry = {
  type: 'end';
  atMs: number;
  faultsEndedMs: number;
  /** Keys whose clients gave up, or ran out of time, without a final answer. */
  unanswered: string[];
};

/** Every message of a run has a unique target. */
export function getPlaceKey({ channel, target }: { channel: string; target: string }): string {
  return `${channel} ${target}`;
}

/** The entries of one type, in order. */
export function filterEntries<T extends Entry['type']>(
  entries: readonly Entry[],
  type: T,
): Extract<Entry, { type: T }>[] {
  return entries.filter((entry): entry is Extract<Entry, { type: T }> => entry.type === type);
}
