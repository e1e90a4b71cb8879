import {
  explainWaitReason,
  type Failover,
  failoverReasons,
  failureReasons,
  formatOptOut,
  getOwn,
  maskTarget,
  messageStates,
  skipReasons,
  toItemNumber,
  waitReasons,
} from '@belfry/shared';
import {
  type CurrentVerdict,
  failingObstacles,
  type Obstacle,
  skippingObstacles,
} from '../deliver/eligibility.sql';
import { readFailovers } from '../deliver/failover.sql';
import { explainCancel } from './cancel-note';
import { endedSuppression, explainSuppression } from './explain-suppression';
import type { TimelineAttempt, TimelineMessage, TimelineReceipt } from './read-messages';
import type { RequestTimeline } from './read-request';
import { getResendRun } from './resend-run.sql';
import { explainOptOut, explainPassedSuppression } from './verdict-notes';

/** Explains the history of a request in sentences: first the request, then each message. */
export function explainRequest(timeline: RequestTimeline, now: Date): string[] {
  return [
    ...explainAcceptance(timeline),
    ...timeline.skips.flatMap(explainSkips),
    ...timeline.messages.flatMap((message) => [
      ...explainMessage(message, timeline.verdicts.get(message.id)),
      ...explainWait(message, now),
      ...explainObstacle(message, timeline.verdicts.get(message.id)),
    ]),
    ...(timeline.isCut ? ['There are more messages. They are not listed here.'] : []),
  ];
}

function explainAcceptance({ head, messages }: RequestTimeline): string[] {
  const { requestId, kind, eventName, appName, delivery, items, plannedItems, acceptedAt } = head;
  const where = delivery === 'sandbox' ? ', which delivers to the sandbox' : '';
  const sentences = [
    `Request ${requestId} was accepted at ${at(acceptedAt)}: a ${kind} send of the event "${eventName}" with ${count(items, 'item')}, for the app "${appName}"${where}.`,
  ];
  if (head.definition.isSensitive) {
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
  if (unplannedItems <= 0 && messages.length === 0) {
    sentences.push('It has no message: no channel had a recipient.');
  }
  return sentences;
}

function explainSkips({ item, skips }: RequestTimeline['skips'][number]): string[] {
  return Object.entries(skips).map(
    ([channel, { reason, detail }]) =>
      `Item ${toItemNumber(item)} was not sent by ${channel} (${reason}): ${explainReason(reason)}${tail(detail)}`,
  );
}

function explainMessage(message: TimelineMessage, verdict: CurrentVerdict | undefined): string[] {
  const { item, channel, target, generation, state, reason, notes } = message;
  const run = getResendRun(notes);
  const again =
    generation > 0 ? `, resend ${generation}${run === null ? '' : ` by resend run ${run}`},` : '';
  const suppression = state === 'skipped' && reason === 'suppressed' && verdict;
  const meaning = suppression
    ? describeSuppression(suppression)
    : (explainCancel(message) ?? explainOptOut(message) ?? explainReason(reason ?? ''));
  const why = reason === null ? '' : ` (${reason}: ${meaning})`;
  return [
    `Item ${toItemNumber(item)} by ${channel} to ${maskTarget(channel, target)}${again} is ${state}. ${messageStates[state].means}${why}`,
    ...[explainPassedSuppression(message) ?? []].flat().map((sentence) => `  ${sentence}`),
    ...readFailovers(notes).map(explainFailover),
    ...message.attempts.map(explainAttempt),
    ...message.receipts.map(explainReceipt),
  ];
}

function describeSuppression({ suppression }: CurrentVerdict): string {
  const { what, remedy } = suppression ? explainSuppression(suppression) : endedSuppression;
  return `${what} ${remedy}`;
}

function explainReceipt({ state, receivedAt, detail }: TimelineReceipt): string {
  return `  At ${at(receivedAt)} the provider reported the state ${state}.${tail(detail)}`;
}

function explainAttempt(attempt: TimelineAttempt): string {
  const { number, openedAt, closedAt, provider, worker, outcome, reason, detail } = attempt;
  const by = provider === null ? '' : ` with ${provider}`;
  const again = attempt.isPossibleDuplicate
    ? ' An earlier attempt may have been sent, so this one may be a duplicate.'
    : '';
  const opening = `  Attempt ${number}${by} started at ${at(openedAt)}`;
  if (closedAt === null)
    return `${opening} on the worker ${worker ?? 'unknown'} and has not ended.${again}`;
  const ending = outcomeMeanings[outcome ?? ''] ?? `Its outcome is ${outcome ?? 'missing'}`;
  const why = reason === null ? '' : ` (${reason})`;
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

function explainWait(message: TimelineMessage, now: Date): string[] {
  const { state, dueAt, waits, expiresAt, isQueued } = message;
  if (dueAt === null) return [];
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

/** Says what a claim would do with a queued message now, unless the message waits for that already. */
function explainObstacle(
  { state, waits }: TimelineMessage,
  verdict: CurrentVerdict | undefined,
): string[] {
  const obstacle = verdict?.obstacle ?? null;
  if (state !== 'queued' || !verdict || obstacle === null || obstacle === waits) return [];
  if (obstacle === 'failover')
    return ['  Its integration needs attention: now the next one of its chain would send it.'];
  const verb = obstacleVerbs.get(obstacle) ?? 'wait';
  const meaning = obstacle in waitReasons ? explainWaitReason(obstacle) : explainReason(obstacle);
  const stops = verdict.optOut && obstacle === 'opted_out' ? formatOptOut(verdict.optOut) : meaning;
  const isSuppressed = obstacle === 'suppressed' && verdict.suppression !== null;
  const why = isSuppressed ? describeSuppression(verdict) : stops;
  return [`  If a worker took it now, it would ${verb} (${obstacle}):${tail(why)}`];
}

const obstacleVerbs = new Map<Obstacle, string>([
  ...failingObstacles.map((obstacle) => [obstacle, 'fail'] as const),
  ...skippingObstacles.map((obstacle) => [obstacle, 'be skipped'] as const),
]);

function explainReason(reason: string): string {
  const meanings: Record<string, string> = { ...skipReasons, ...failureReasons };
  return getOwn(meanings, reason) ?? 'This version does not know the reason.';
}

function tail(detail: string | null | undefined): string {
  return detail ? ` ${/[.!?]$/.test(detail) ? detail : `${detail}.`}` : '';
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function at(time: Date): string {
  return time.toISOString();
}
