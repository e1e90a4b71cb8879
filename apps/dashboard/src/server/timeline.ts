import {
  explainCancel,
  explainOptOut,
  explainPassedSuppression,
  explainResendObstacle,
  findVerdictWarning,
  getResendRun,
  type ItemTimeline,
  type ResendVerdict,
  readFailovers,
  type TimelineAttempt,
  type TimelineMessage,
  type TimelineReceipt,
} from '@belfry/pipeline/operate';
import { countStates, failoverReasons, type StateGroup } from '@belfry/shared';
import type { ChannelSummary } from '../api/log';
import type {
  AttemptStep,
  CallAnswer,
  ChannelRow,
  Explanation,
  MessageChannelRow,
  ReceiptStep,
  RequestAnswer,
  SkippedChannelRow,
  Step,
} from '../api/requests';
import { sortByChannel } from './channel-order';
import {
  explainAttempt,
  explainMessage,
  explainReason,
  explainWait,
  getEnding,
  isStoppedBySuppression,
} from './explain';
import { summarizeChannel, toWait } from './log-row';
import { maskTokens } from './mask-tokens';
import { listReasonGroups } from './reason-groups';
import { showTarget } from './show-target';

const sensitiveMask = '***';

export type TimelineContext = { item: number; readAt: Date };

/** The timeline of a request item, in chronological order. */
export function buildTimeline(
  timeline: ItemTimeline,
  { item, readAt }: TimelineContext,
): RequestAnswer {
  const { head } = timeline;
  const { isSensitive } = head.definition;
  const channels = sortByChannel(Object.keys(head.definition.channels));
  return {
    requestId: head.requestId,
    event: { id: head.eventId, name: head.eventName, isDeleted: head.isEventDeleted },
    version: { id: head.versionId, number: head.versionNumber, kind: head.versionKind },
    kind: head.kind,
    items: head.items,
    plannedItems: head.plannedItems,
    item,
    acceptedAt: head.acceptedAt.getTime(),
    apiKeyHint: head.apiKeyId && `bk_${head.apiKeyId.slice(0, 6)}…`,
    idempotencyKey: head.idempotencyKey,
    traceId: head.traceId,
    isSandbox: head.delivery === 'sandbox',
    isSensitive,
    itemChannels: summarizeChannels(channels, timeline.itemGroups),
    counts: countStates(timeline.groups),
    channels: summarizeChannels(channels, timeline.groups),
    groups: listReasonGroups(channels, timeline.groups),
    call: toCallAnswer(timeline),
    channelRows: channels.flatMap((channel) => buildChannelRows(channel, timeline)),
    readAt: readAt.getTime(),
  };
}

function summarizeChannels(
  channels: string[],
  groups: readonly StateGroup[],
): Record<string, ChannelSummary> {
  return Object.fromEntries(
    channels.map((channel) => [channel, summarizeChannel(channel, groups)]),
  );
}

function toCallAnswer({ head, item }: ItemTimeline): CallAnswer {
  const { isSensitive } = head.definition;
  const parse = (text: string | null | undefined): unknown => (text ? JSON.parse(text) : null);
  return {
    user: maskTokens(parse(item?.recipient)),
    data: isSensitive ? sensitiveMask : parse(item?.data),
    override: isSensitive ? sensitiveMask : parse(item?.override),
    locale: item?.locale ?? null,
    scheduleAt: item?.scheduleAt ?? null,
    metadata: item?.metadata ? JSON.parse(item.metadata) : null,
    cancelKey: item?.cancelKey ?? null,
    answer: {
      status: 200,
      body: { request_id: head.requestId, id: head.requestId, success: true },
    },
  };
}

function buildChannelRows(channel: string, timeline: ItemTimeline): ChannelRow[] {
  const messages = timeline.messages.filter((message) => message.channel === channel);
  const skip = timeline.item?.skips?.[channel];
  if (!skip) return messages.map((message) => buildMessageRow(message, timeline));
  const { reason, detail = '' } = skip;
  const explanation = explainReason(reason, detail);
  return [{ kind: 'skipped', channel, reason, detail, explanation } satisfies SkippedChannelRow];
}

function buildMessageRow(message: TimelineMessage, timeline: ItemTimeline): MessageChannelRow {
  const capture = timeline.captures.find(({ messageId }) => messageId === message.id);
  const { isSensitive, channels } = timeline.head.definition;
  const verdict = timeline.verdicts.get(message.id);
  const explanation = explainMessage(message, verdict?.suppression ?? null);
  const { integrationId, integrationName, isIntegrationRemoved, dueAt } = message;
  return {
    kind: 'message',
    messageId: message.id,
    channel: message.channel,
    target: showTarget(message.channel, message.target),
    generation: message.generation,
    state: message.state,
    reason: message.reason,
    waits: describeWait(message, channels[message.channel]?.policy.attempts),
    dueAt: dueAt?.getTime() ?? null,
    expiresAt: message.expiresAt.getTime(),
    createdAt: message.createdAt.getTime(),
    settledAt: message.settledAt?.getTime() ?? null,
    attempts: message.attemptsMade,
    unknownCount: message.unknownCount,
    integration: integrationId
      ? {
          id: integrationId,
          name: integrationName ?? integrationId,
          isRemoved: isIntegrationRemoved,
        }
      : null,
    resendOf: message.resendOf,
    resendRun: getResendRun(message.notes),
    notes: getOtherNotes(message),
    steps: buildSteps(message, explanation, isSensitive),
    explanation,
    rendered: isSensitive ? sensitiveMask : (capture?.content ?? null),
    captureId: capture?.id ?? null,
    can: getAllowedActions(message, verdict),
  };
}

const shownNotes = new Set([
  ...['failovers', 'resend_run', 'cancelled_by', 'opt_out', 'passed_suppression'],
]);

/** Notes that have no step of their own. */
function getOtherNotes(message: TimelineMessage): Record<string, unknown> {
  const otherNotes = Object.entries(message.notes ?? {}).filter(([name]) => !shownNotes.has(name));
  const suppression = explainPassedSuppression(message);
  return { ...Object.fromEntries(otherNotes), ...(suppression && { suppression }) };
}

function describeWait(
  { waitsNow, attemptsMade, dueAt }: TimelineMessage,
  maxAttempts: number | undefined,
): MessageChannelRow['waits'] {
  const wait = toWait({ waits: waitsNow, attempts: attemptsMade, dueAt, maxAttempts });
  return wait ? { ...wait, sentence: explainWait(wait) } : null;
}

function buildSteps(
  message: TimelineMessage,
  explanation: Explanation | null,
  isSensitive: boolean,
): Step[] {
  const { attempts, receipts } = message;
  const planned: Step = {
    kind: 'planned',
    at: message.createdAt.getTime(),
    detail: typeof message.notes?.['address'] === 'string' ? message.notes['address'] : '',
  };
  const steps: Step[] = [
    planned,
    ...buildFailoverSteps(message),
    ...attempts.flatMap((attempt, index) =>
      buildAttemptSteps(attempt, attempts[index + 1], isSensitive),
    ),
    ...receipts.map(toReceiptStep),
  ];
  if (message.settledAt) {
    const { state, reason, settledAt } = message;
    const settled = isStoppedBySuppression(message)
      ? explanation
      : reason && explainReason(reason, explainCancel(message) ?? explainOptOut(message) ?? null);
    const detail = settled ? joinSentences(settled) : '';
    steps.push({ kind: 'settled', at: settledAt.getTime(), state, reason, detail });
  }
  return steps.toSorted((a, b) => a.at - b.at);
}

function joinSentences({ what, remedy }: Explanation): string {
  return [what, remedy].filter((part) => part !== null).join(' ');
}

function buildFailoverSteps({ notes }: TimelineMessage): Step[] {
  return readFailovers(notes).map(({ name, reason, detail, at }) => ({
    kind: 'failover',
    at: at.getTime(),
    integration: name,
    reason,
    detail: detail ? `${failoverReasons[reason]} ${detail}` : failoverReasons[reason],
  }));
}

/** A provider call and the wait until the next one. */
function buildAttemptSteps(
  attempt: TimelineAttempt,
  next: TimelineAttempt | undefined,
  isSensitive: boolean,
): Step[] {
  const step = toAttemptStep(attempt, isSensitive);
  if (!attempt.closedAt || (attempt.outcome !== 'retry' && attempt.outcome !== 'unknown'))
    return [step];
  const until = next?.openedAt.getTime() ?? null;
  return [
    step,
    { kind: 'waited', at: attempt.closedAt.getTime(), until, detail: attempt.detail ?? '' },
  ];
}

function toAttemptStep(attempt: TimelineAttempt, isSensitive: boolean): AttemptStep {
  const redactBody = (text: string | null): unknown =>
    isSensitive && text ? sensitiveMask : readJson(text);
  return {
    kind: 'attempt',
    number: attempt.number,
    at: attempt.openedAt.getTime(),
    closedAt: attempt.closedAt?.getTime() ?? null,
    outcome: attempt.outcome,
    reason: attempt.reason,
    detail: attempt.detail,
    provider: attempt.provider,
    integration: attempt.integrationName,
    worker: attempt.worker,
    isPossibleDuplicate: attempt.isPossibleDuplicate,
    providerMessageId: attempt.providerMessageId,
    request: redactBody(attempt.request),
    response: redactBody(attempt.response),
    explanation: explainAttempt(attempt),
    ending: getEnding(attempt),
  };
}

function toReceiptStep({
  receivedAt,
  state,
  errorCode,
  detail,
  body,
}: TimelineReceipt): ReceiptStep {
  return {
    kind: 'receipt',
    at: receivedAt.getTime(),
    state,
    errorCode,
    detail,
    body: readJson(body),
  };
}

/** A truncated text is no longer valid JSON and is returned as is. */
function readJson(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function getAllowedActions(
  { state }: TimelineMessage,
  verdict: ResendVerdict | undefined,
): MessageChannelRow['can'] {
  const because = verdict ? explainResendObstacle(verdict) : 'It no longer exists.';
  const warning = verdict && because === null ? (findVerdictWarning(verdict) ?? null) : null;
  const isQueued = state === 'queued';
  return {
    resend: { isAllowed: because === null, warning, because },
    cancel: {
      isAllowed: isQueued,
      because: isQueued ? null : 'Only a queued message can be cancelled.',
    },
  };
}
