import {
  type Failover,
  failoverReasons,
  failureReasons,
  type MessageState,
  messageStates,
  skipReasons,
  waitReasons,
} from './message-state';

/** The stored history of a request. Times are from PostgreSQL's clock. */
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
  /** Masked: enough to distinguish addresses. */
  target: string;
  generation: number;
  /** The resend by filter that created it. */
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

/** Explains the history of a request in sentences: first the request, then each message. */
export function explainRequest(timeline: RequestTimeline, now: Date): string[] {
  return [
    ...explainAcceptance(timeline),
    ...timeline.skips.map(explainSkip),
    ...timeline.messages.flatMap((message) => explainMessage(message, now)),
    ...(timeline.isCut ? ['There are more messages. They are not listed here.'] : []),
  ];
}

function explainAcceptance(timeline: RequestTimeline): string[] {
  const { id, kind, eventName, appName, delivery, items, plannedItems, createdAt } = timeline;
  const where = delivery === 'sandbox' ? ', which delivers to the sandbox' : '';
  const sentences = [
    `Request ${id} was accepted at ${at(createdAt)}: a ${kind} send of the event "${eventName}" with ${count(items, 'item')}, for the app "${appName}"${where}.`,
  ];
  if (timeline.isSensitive) {
    sentences.push(
      'Its event is sensitive: the content is sealed, never shown, and deleted when every message is final.',
    );
  }
  const unplannedItems = items - plannedItems;
  if (unplannedItems > 0) {
    sentences.push(
      `${count(unplannedItems, 'item')} ${unplannedItems === 1 ? 'waits' : 'wait'} for the role fanout, which plans their messages.`,
    );
  }
  if (unplannedItems <= 0 && timeline.messages.length === 0) {
    sentences.push('It has no message: no channel had a recipient.');
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
        `  At ${at(receivedAt)} the provider reported the state ${reportedState}.${tail(detail)}`,
    ),
    ...explainWait(message, now),
  ];
}

function formatRun({ resendRun }: MessageTimeline): string {
  return resendRun === undefined ? '' : ` by resend run ${resendRun}`;
}

function explainAttempt(attempt: AttemptTimeline): string {
  const { number, openedAt, closedAt, provider, worker, outcome, reason, detail } = attempt;
  const by = provider === undefined ? '' : ` with ${provider}`;
  const again = attempt.isPossibleDuplicate
    ? ' An earlier attempt may have been sent, so this one may be a duplicate.'
    : '';
  const opening = `  Attempt ${number}${by} started at ${at(openedAt)}`;
  if (closedAt === undefined)
    return `${opening} on the worker ${worker ?? 'unknown'} and has not ended.${again}`;
  const ending = outcomeMeanings[outcome ?? ''] ?? `Its outcome is ${outcome ?? 'missing'}`;
  const why = reason === undefined ? '' : ` (${reason})`;
  return `${opening}. ${ending}${why}.${tail(detail)}${again}`;
}

function explainFailover({ name, reason, detail, at: failedOverAt }: Failover): string {
  return `  At ${at(failedOverAt)} the integration "${name}" was skipped (${reason}): ${failoverReasons[reason]}${tail(detail)}`;
}

const outcomeMeanings: Record<string, string> = {
  accepted: 'The provider accepted the message',
  rejected: 'The provider refused the message',
  retry: 'The message was not sent',
  unknown: 'It is unknown whether the message was sent',
};

function explainWait(message: MessageTimeline, now: Date): string[] {
  const { state, dueAt, waits, expiresAt, isQueued } = message;
  if (dueAt === undefined) return [];
  if (state === 'sending')
    return [`  A worker has a lease on it until ${at(dueAt)}. After that, its outcome is unknown.`];
  const end = ` It expires at ${at(expiresAt)}.`;
  if (dueAt > now) {
    return [`  Next attempt at ${at(dueAt)}.${tail(waits && explainWaitReason(waits))}${end}`];
  }
  const place = isQueued
    ? `It has a job, which a worker with the role deliver-${message.channel} should take`
    : 'It has no job yet; the role relay should enqueue it';
  return [`  It has been due since ${at(dueAt)}. ${place}.${end}`];
}

/** The meaning of the reason that a queued message waits for. */
export function explainWaitReason(waits: string): string {
  const meanings: Record<string, string> = waitReasons;
  return meanings[waits] ?? waits;
}

function explainReason(reason: string): string {
  const meanings: Record<string, string> = { ...skipReasons, ...failureReasons };
  return meanings[reason] ?? 'This version does not know the reason.';
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
