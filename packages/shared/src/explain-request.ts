import {
  type Failover,
  failoverReasons,
  failureReasons,
  type MessageState,
  messageStates,
  skipReasons,
} from './message-state';

/** What lies of a request, as the tables have it. Times are what PostgreSQL's clock said. */
export type RequestTimeline = {
  id: string;
  appName: string;
  delivery: string;
  eventName: string;
  kind: string;
  items: number;
  plannedItems: number;
  createdAt: Date;
  isSensitive: boolean;
  skips: { item: number; channel: string; reason: string; detail: string | undefined }[];
  messages: MessageTimeline[];
  /** There are more messages than these. */
  isCut: boolean;
};

export type MessageTimeline = {
  id: string;
  item: number;
  channel: string;
  /** Masked: enough to tell one address from another. */
  target: string;
  generation: number;
  /** The resend by filter that made it. */
  resendRun: string | undefined;
  state: MessageState;
  reason: string | undefined;
  waits: string | undefined;
  dueAt: Date | undefined;
  expiresAt: Date;
  isQueued: boolean;
  attempts: AttemptTimeline[];
  failovers: Failover[];
  receipts: { state: string; receivedAt: Date; detail: string | undefined }[];
};

export type AttemptTimeline = {
  number: number;
  openedAt: Date;
  closedAt: Date | undefined;
  worker: string | undefined;
  provider: string | undefined;
  outcome: string | undefined;
  reason: string | undefined;
  detail: string | undefined;
  isPossibleDuplicate: boolean;
};

/** What happened to a request, and why, in sentences: the request first, then each message with what it went through. */
export function explainRequest(timeline: RequestTimeline, now: Date): string[] {
  return [
    ...explainAcceptance(timeline),
    ...timeline.skips.map(explainSkip),
    ...timeline.messages.flatMap((message) => explainMessage(message, now)),
    ...(timeline.isCut ? ['There are more messages than are told here.'] : []),
  ];
}

function explainAcceptance(timeline: RequestTimeline): string[] {
  const { id, kind, eventName, appName, delivery, items, plannedItems, createdAt } = timeline;
  const where = delivery === 'sandbox' ? ', whose messages all go to the sandbox' : '';
  const sentences = [
    `Request ${id} was accepted at ${at(createdAt)}: a ${kind} send of the event "${eventName}" with ${count(items, 'item')}, for the app "${appName}"${where}.`,
  ];
  if (timeline.isSensitive) {
    sentences.push(
      'Its event is sensitive: what it said is sealed and never shown, and dropped once nothing of it is to be sent.',
    );
  }
  const unplannedItems = items - plannedItems;
  if (unplannedItems > 0) {
    sentences.push(
      `${count(unplannedItems, 'item')} of it wait for the role fanout, which plans their messages.`,
    );
  }
  if (unplannedItems <= 0 && timeline.messages.length === 0) {
    sentences.push('It has no message: no channel had somebody to write to.');
  }
  return sentences;
}

function explainSkip({ item, channel, reason, detail }: RequestTimeline['skips'][number]): string {
  return `Item ${item} was not sent by ${channel} (${reason}): ${explainReason(reason)}${tail(detail)}`;
}

function explainMessage(message: MessageTimeline, now: Date): string[] {
  const { item, channel, target, generation, state, reason } = message;
  const again = generation > 0 ? `, resend ${generation}${formatRun(message)},` : '';
  const why = reason === undefined ? '' : ` (${reason}: ${explainReason(reason)})`;
  return [
    `Item ${item} by ${channel} to ${target}${again} is ${state}. ${messageStates[state].means}${why}`,
    ...message.failovers.map(explainFailover),
    ...message.attempts.map(explainAttempt),
    ...message.receipts.map(
      ({ state: reportedState, receivedAt, detail }) =>
        `  At ${at(receivedAt)} the provider reported that it is ${reportedState}.${tail(detail)}`,
    ),
    ...explainWait(message, now),
  ];
}

function formatRun({ resendRun }: MessageTimeline): string {
  return resendRun === undefined ? '' : ` by the run ${resendRun}`;
}

function explainAttempt(attempt: AttemptTimeline): string {
  const { number, openedAt, closedAt, provider, worker, outcome, reason, detail } = attempt;
  const by = provider === undefined ? '' : ` with ${provider}`;
  const again = attempt.isPossibleDuplicate
    ? ' An earlier attempt may have been sent, so this one may be a duplicate.'
    : '';
  const opening = `  Attempt ${number}${by} began at ${at(openedAt)}`;
  if (closedAt === undefined)
    return `${opening} by the worker ${worker ?? 'unknown'} and is open.${again}`;
  const ending = outcomeMeanings[outcome ?? ''] ?? `It ended as ${outcome ?? 'nothing'}`;
  const why = reason === undefined ? '' : ` (${reason})`;
  return `${opening}. ${ending}${why}.${tail(detail)}${again}`;
}

function explainFailover({ name, reason, detail, at: passedAt }: Failover): string {
  return `  At ${at(passedAt)} the integration "${name}" was passed over (${reason}): ${failoverReasons[reason]}${tail(detail)}`;
}

const outcomeMeanings: Record<string, string> = {
  accepted: 'The provider took the message',
  rejected: 'The provider refused it',
  retry: 'It was certainly not sent',
  unknown: 'Nobody can know whether it was sent',
};

function explainWait(message: MessageTimeline, now: Date): string[] {
  const { state, dueAt, waits, expiresAt, isQueued } = message;
  if (dueAt === undefined) return [];
  if (state === 'sending')
    return [`  Its worker has it until ${at(dueAt)}; after that its outcome is unknown.`];
  const end = ` It is given up at ${at(expiresAt)}.`;
  if (dueAt > now) {
    const why = waits === undefined ? '' : `, because ${waitMeanings[waits] ?? waits}`;
    return [`  It waits until ${at(dueAt)}${why}.${end}`];
  }
  const place = isQueued
    ? `a job has it, so a worker with the role deliver-${message.channel} should take it`
    : 'it has no job yet, so the role relay should queue it';
  return [`  It has been due since ${at(dueAt)}: ${place}.${end}`];
}

const waitMeanings: Record<string, string> = {
  needs_attention: 'the integration needs attention',
  paused: 'the channel or the integration is paused',
  limit: 'the provider’s limit is reached',
  connections: 'all connections to the mail server are in use',
  retry: 'the attempt before it did not succeed',
  schedule: 'it was asked for then',
};

function explainReason(reason: string): string {
  const meanings: Record<string, string> = { ...skipReasons, ...failureReasons };
  return meanings[reason] ?? 'A reason that this version does not know.';
}

function tail(detail: string | undefined): string {
  return detail ? ` ${/[.!?]$/.test(detail) ? detail : `${detail}.`}` : '';
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function at(time: Date): string {
  return time.toISOString();
}
