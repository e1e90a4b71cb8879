/**
 * Everything that a run saw, one entry a line of its file. Times are milliseconds of one monotonic clock; those of PostgreSQL are
 * brought onto it. The checker reads nothing else.
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
  /** Of the machine. */
  cores: number;
  /** How long an idempotency key stays locked without its owner. */
  lockMs: number;
  /** How long an attempt may take. */
  deadlineMs: number;
  /** How long a message is its attempt's. */
  leaseMs: number;
  /** How often a message is sent again after an unknown outcome, and how often it is tried. */
  unknownResends: number;
  attempts: number;
};

/** One idempotency key, and what its calls ask for. */
export type KeyEntry = {
  type: 'key';
  key: string;
  accountId: string;
  appId: string;
  policy: Policy;
  channels: string[];
  items: number;
};

/** `other` has another body under the same key; `stranger` comes with the key of another account. */
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
  /** 0 where the connection broke or nobody answered in time. */
  status: number;
  body: string;
  isReplay: boolean;
  hasRetryAfter: boolean;
};

/** From its begin until it was taken back: for a process, until it was started again. */
export type FaultEntry = {
  type: 'fault';
  name: string;
  /** The process or store that it hit. */
  target: string;
  /** The process number that was killed or stopped, or whose link was broken. */
  pid: number | undefined;
  atMs: number;
  liftedMs: number;
  isKill: boolean;
  /** What it ended with, where it was told to end in order. */
  exitCode?: number | null;
};

/** What a provider took. */
export type SendEntry = {
  type: 'send';
  atMs: number;
  channel: string;
  target: string;
  /** The value by which the provider, or a receiver, can tell a repetition; undefined where there is none. */
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

/** A secret or an address was found where none may be. */
export type LeakEntry = { type: 'leak'; what: string; place: string };

/** A process ended without being told to. */
export type CrashEntry = {
  type: 'crash';
  name: string;
  pid: number;
  atMs: number;
  /** The last that it wrote. */
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

/** Every message of a run has a target of its own. */
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
