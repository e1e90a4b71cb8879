import {
  failureReasons,
  type MessageState,
  messageStates,
  type PassedOver,
  passedOverReasons,
  skipReasons,
} from './message-state';

/** What lies of a request, as the tables have it. Times are what PostgreSQL's clock said. */
export type RequestStory = {
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
  messages: MessageStory[];
  /** There are more messages than these. */
  isCut: boolean;
};

export type MessageStory = {
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
  attempts: AttemptStory[];
  passedOver: PassedOver[];
  receipts: { state: string; receivedAt: Date; detail: string | undefined }[];
};

export type AttemptStory = {
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
export function explainRequest(story: RequestStory, now: Date): string[] {
  return [
    ...explainAcceptance(story),
    ...story.skips.map(explainSkip),
    ...story.messages.flatMap((message) => explainMessage(message, now)),
    ...(story.isCut ? ['There are more messages than are told here.'] : []),
  ];
}

function explainAcceptance(story: RequestStory): string[] {
  const { id, kind, eventName, appName, delivery, items, plannedItems, createdAt } = story;
  const where = delivery === 'sandbox' ? ', whose messages all go to the sandbox' : '';
  const sentences = [
    `Request ${id} was accepted at ${at(createdAt)}: a ${kind} send of the event "${eventName}" with ${count(items, 'item')}, for the app "${appName}"${where}.`,
  ];
  if (story.isSensitive) {
    sentences.push(
      'Its event is sensitive: what it said is sealed and never shown, and dropped once nothing of it is to be sent.',
    );
  }
  const left = items - plannedItems;
  if (left > 0) {
    sentences.push(
      `${count(left, 'item')} of it wait for the role fanout, which plans their messages.`,
    );
  }
  if (left <= 0 && story.messages.length === 0) {
    sentences.push('It has no message: no channel had somebody to write to.');
  }
  return sentences;
}

function explainSkip({ item, channel, reason, detail }: RequestStory['skips'][number]): string {
  return `Item ${item} was not sent by ${channel} (${reason}): ${meaningOf(reason)}${tail(detail)}`;
}

function explainMessage(message: MessageStory, now: Date): string[] {
  const { item, channel, target, generation, state, reason } = message;
  const again = generation > 0 ? `, resend ${generation}${runOf(message)},` : '';
  const why = reason === undefined ? '' : ` (${reason}: ${meaningOf(reason)})`;
  return [
    `Item ${item} by ${channel} to ${target}${again} is ${state}. ${messageStates[state].means}${why}`,
    ...message.passedOver.map(explainPassedOver),
    ...message.attempts.map(explainAttempt),
    ...message.receipts.map(
      ({ state: told, receivedAt, detail }) =>
        `  At ${at(receivedAt)} the provider reported that it is ${told}.${tail(detail)}`,
    ),
    ...explainWait(message, now),
  ];
}

function runOf({ resendRun }: MessageStory): string {
  return resendRun === undefined ? '' : ` by the run ${resendRun}`;
}

function explainAttempt(attempt: AttemptStory): string {
  const { number, openedAt, closedAt, provider, worker, outcome, reason, detail } = attempt;
  const by = provider === undefined ? '' : ` with ${provider}`;
  const again = attempt.isPossibleDuplicate
    ? ' An earlier attempt may have been sent, so this one may be a duplicate.'
    : '';
  const begun = `  Attempt ${number}${by} began at ${at(openedAt)}`;
  if (closedAt === undefined)
    return `${begun} by the worker ${worker ?? 'unknown'} and is open.${again}`;
  const ended = outcomeMeanings[outcome ?? ''] ?? `It ended as ${outcome ?? 'nothing'}`;
  const why = reason === undefined ? '' : ` (${reason})`;
  return `${begun}. ${ended}${why}.${tail(detail)}${again}`;
}

function explainPassedOver({ name, reason, detail, at: passedAt }: PassedOver): string {
  return `  At ${at(passedAt)} the integration "${name}" was passed over (${reason}): ${passedOverReasons[reason]}${tail(detail)}`;
}

const outcomeMeanings: Record<string, string> = {
  accepted: 'The provider took the message',
  rejected: 'The provider refused it',
  retry: 'It was certainly not sent',
  unknown: 'Nobody can know whether it was sent',
};

function explainWait(message: MessageStory, now: Date): string[] {
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

function meaningOf(reason: string): string {
  const known: Record<string, string> = { ...skipReasons, ...failureReasons };
  return known[reason] ?? 'A reason that this version does not know.';
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
