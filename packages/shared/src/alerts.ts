/** A number that the operator sets in a rule. */
type AlertParam = {
  label: string;
  unit: string;
  minimum: number;
  maximum: number;
  default: number;
};

/** A rule may watch one channel or one integration; without one, it watches all of the app. */
type AlertScope = 'channel' | 'integration';

type AlertKindDefinition = {
  label: string;
  means: string;
  scope: AlertScope;
  params: Record<string, AlertParam>;
  /** The rule as a phrase, such as `Oldest waiting message over 10 min`. */
  describe(values: Record<string, number>): string;
  /** Filters of the log that show the messages of such an alert. */
  log: Record<string, string>;
};

function defineKind<const Params extends Record<string, AlertParam>>(
  kind: Omit<AlertKindDefinition, 'params' | 'describe'> & {
    params: Params;
    describe(values: { [Name in keyof Params]: number }): string;
  },
) {
  return kind;
}

const dayMinutes = 1_440;

function minutes(label: string, limits: Partial<AlertParam> = {}): AlertParam {
  return { label, unit: 'min', minimum: 1, maximum: dayMinutes, default: 10, ...limits };
}

function count(messages: number, noun: string): string {
  return `${messages} ${noun}${messages === 1 ? '' : 's'}`;
}

/** Attempts of an integration are counted for one hour; see `IntegrationCount`. */
const countedMinutes = 60;

/** The kinds of alert rules. Validation, form, evaluation and texts follow from this list. */
const alertKinds = {
  failure_rate: defineKind({
    label: 'Failure rate',
    means:
      'The share of failed messages among those accepted in the period that ended as sent, delivered, read, failed or unknown.',
    scope: 'channel',
    params: {
      percent: { label: 'Over', unit: '%', minimum: 1, maximum: 99, default: 10 },
      minutes: minutes('In the last', { minimum: 2, default: 15 }),
      messages: {
        ...{ label: 'With at least', unit: 'messages' },
        ...{ minimum: 1, maximum: 1_000_000, default: 20 },
      },
    },
    describe: ({ percent, minutes, messages }) =>
      `Failure rate over ${percent} % in ${minutes} min, with at least ${count(messages, 'message')}`,
    log: { state: 'failed' },
  }),
  oldest_waiting: defineKind({
    label: 'Oldest waiting message',
    means:
      'How long the oldest due message waits for a worker. Messages that are paused, scheduled, rate limited or waiting for a retry are not due.',
    scope: 'channel',
    params: { minutes: minutes('Waits over') },
    describe: ({ minutes }) => `Oldest waiting message over ${minutes} min`,
    log: { state: 'queued', waits: 'due' },
  }),
  integration_failing: defineKind({
    label: 'Integration failing',
    means: 'An integration is failing or needs attention.',
    scope: 'integration',
    params: {},
    describe: () => 'Integration failing',
    log: { state: 'failed' },
  }),
  circuit_open: defineKind({
    label: 'Circuit open',
    means: 'Calls of an integration timed out, so a worker stopped calling it for 30 s.',
    scope: 'integration',
    params: {},
    describe: () => 'Circuit open',
    log: { state: 'queued', waits: 'circuit' },
  }),
  no_worker: defineKind({
    label: 'No worker',
    means: 'No worker serves a channel that a live event of the app uses.',
    scope: 'channel',
    params: { minutes: minutes('For', { maximum: 60, default: 2 }) },
    describe: ({ minutes }) => `No worker for ${minutes} min`,
    log: { state: 'queued' },
  }),
  receipts_stopped: defineKind({
    label: 'Receipts stopped',
    means:
      'A provider accepted messages at least 5 min ago, but sent no delivery receipt in the period. It sent receipts before, since the rule exists.',
    scope: 'integration',
    params: {
      messages: {
        ...{ label: 'With at least', unit: 'accepted messages' },
        ...{ minimum: 1, maximum: 1_000_000, default: 20 },
      },
      minutes: minutes('No receipt in', { minimum: 15, maximum: countedMinutes, default: 30 }),
    },
    describe: ({ minutes, messages }) =>
      `No receipt in ${minutes} min, with at least ${count(messages, 'accepted message')}`,
    log: { state: 'sent' },
  }),
} as const;

export type AlertKind = keyof typeof alertKinds;
export type AlertParams = Record<string, number>;

// Safe cast: a constant object has exactly the keys of its type.
export const alertKindNames = Object.keys(alertKinds) as AlertKind[];

export function getAlertKind(kind: AlertKind): AlertKindDefinition {
  return alertKinds[kind];
}

/** Per app. Each rule costs a statement per run. */
export const maxAlertRules = 20;
export const maxAlertAddresses = 10;

/** Why the numbers of a rule cannot be stored: the name of each wrong one, and what is wrong. */
export function findAlertParamProblems(
  kind: AlertKind,
  values: Record<string, unknown>,
): { path: string; problem: string }[] {
  const { params } = getAlertKind(kind);
  const unknownNames = Object.keys(values).filter((name) => !Object.hasOwn(params, name));
  return [
    ...unknownNames.map((name) => ({
      path: `params.${name}`,
      problem: 'is not a field of this kind',
    })),
    ...Object.entries(params).flatMap(([name, { minimum, maximum }]) => {
      const value = values[name];
      const isValid = Number.isInteger(value) && Number(value) >= minimum;
      if (isValid && Number(value) <= maximum) return [];
      const range = `${minimum} to ${maximum.toLocaleString('en-US')}`;
      return [{ path: `params.${name}`, problem: `must be a whole number from ${range}` }];
    }),
  ];
}

type AlertSubject = { kind: AlertKind; params: AlertParams };

/** The rule as a phrase, with the channel or integration that it watches. */
export function describeAlertRule({
  kind,
  params,
  watched,
}: AlertSubject & { watched?: string | null | undefined }): string {
  const phrase = getAlertKind(kind).describe(params);
  return watched ? `${phrase}: ${watched}` : phrase;
}

/** The path and query of the log with the messages of an alert, below the dashboard's URL. */
export function buildAlertPath(
  { appId, kind }: { appId: string; kind: AlertKind },
  filters: { channel?: string | undefined; provider?: string | undefined; fromMs?: number } = {},
): string {
  const { channel, provider, fromMs } = filters;
  const query = new URLSearchParams({
    ...getAlertKind(kind).log,
    ...(channel === undefined ? {} : { channel }),
    ...(provider === undefined ? {} : { provider }),
    ...(fromMs === undefined ? {} : { from: String(fromMs) }),
  });
  return `/apps/${appId}/log?${query}`;
}

/** A notification about an incident, and its outcome. */
export const alertNoticeKinds = {
  fired: 'Alert',
  reminder: 'Still firing',
  resolved: 'Resolved',
  test: 'Test of an alert',
} as const;
export type AlertNoticeKind = keyof typeof alertNoticeKinds;

export const alertOutcomes = ['waiting', 'sent', 'failed', 'not_sent'] as const;
export type AlertOutcome = (typeof alertOutcomes)[number];
