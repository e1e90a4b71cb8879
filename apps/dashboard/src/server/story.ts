import { findResendObstacle, findResendWarning } from '@belfry/accepting';
import {
  readPassedOver,
  resendRunOf,
  type Story,
  type StoryAttempt,
  type StoryMessage,
  type StoryReceipt,
} from '@belfry/database';
import { countStates, erasedTarget, passedOverReasons, type StateGroup } from '@belfry/shared';
import type { PealSlot } from '../api/log';
import type {
  AttemptStep,
  CallAnswer,
  Lane,
  MessageLane,
  ReceiptStep,
  RequestAnswer,
  SkippedLane,
  Step,
} from '../api/requests';
import { explainAttempt, explainReason, explainWait } from './explain';
import { slotOf } from './log-row';
import { maskTokens } from './mask-tokens';
import { inPealOrder } from './peal';

const sensitiveMask = '***';

export type StoryContext = { item: number; isSandbox: boolean; readAt: Date };

/** All that is on record of a request's item, in the order in which it happened. */
export function tellStory(story: Story, { item, isSandbox, readAt }: StoryContext): RequestAnswer {
  const { head } = story;
  const { isSensitive } = head.definition;
  const channels = inPealOrder(Object.keys(head.definition.channels));
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
    isSandbox,
    isSensitive,
    peal: slotsOf(channels, story.itemGroups),
    counts: countStates(story.groups),
    channels: slotsOf(channels, story.groups),
    call: callOf(story),
    lanes: channels.flatMap((channel) => lanesOf(channel, story)),
    readAt: readAt.getTime(),
  };
}

function slotsOf(channels: string[], groups: readonly StateGroup[]): Record<string, PealSlot> {
  return Object.fromEntries(channels.map((channel) => [channel, slotOf(channel, groups)]));
}

function callOf({ head, item }: Story): CallAnswer {
  const { isSensitive } = head.definition;
  const parse = (text: string | null | undefined): unknown => (text ? JSON.parse(text) : null);
  return {
    user: maskTokens(parse(item?.recipient)),
    data: isSensitive ? sensitiveMask : parse(item?.data),
    override: isSensitive ? sensitiveMask : parse(item?.override),
    locale: item?.locale ?? null,
    scheduleAt: item?.scheduleAt ?? null,
    answer: {
      status: 200,
      body: { request_id: head.requestId, id: head.requestId, success: true },
    },
  };
}

function lanesOf(channel: string, story: Story): Lane[] {
  const messages = story.messages.filter((message) => message.channel === channel);
  const skip = story.item?.skips?.[channel];
  if (!skip) return messages.map((message) => laneOf(message, story));
  const { reason, detail = '' } = skip;
  const explanation = explainReason(reason, detail);
  return [{ kind: 'skipped', channel, reason, detail, explanation } satisfies SkippedLane];
}

function laneOf(message: StoryMessage, story: Story): MessageLane {
  const attempts = story.attempts.filter(({ messageId }) => messageId === message.id);
  const receipts = story.receipts.filter(({ messageId }) => messageId === message.id);
  const capture = story.captures.find(({ messageId }) => messageId === message.id);
  const { isSensitive } = story.head.definition;
  const { integrationId, integrationName, isIntegrationRemoved, dueAt } = message;
  return {
    kind: 'message',
    messageId: message.id,
    channel: message.channel,
    target: message.target,
    generation: message.generation,
    state: message.state,
    reason: message.reason,
    waits: waitsOf(message),
    dueAt: dueAt?.getTime() ?? null,
    expiresAt: message.expiresAt.getTime(),
    createdAt: message.createdAt.getTime(),
    settledAt: message.settledAt?.getTime() ?? null,
    attempts: message.attempts,
    unknownCount: message.unknownCount,
    integration: integrationId
      ? {
          id: integrationId,
          name: integrationName ?? integrationId,
          isRemoved: isIntegrationRemoved,
        }
      : null,
    resendOf: message.resendOf,
    resendRun: resendRunOf(message.notes),
    notes: notesOf(message),
    steps: stepsOf(message, { attempts, receipts, isSensitive }),
    explanation: explanationOf(message, { attempts, receipts }),
    rendered: isSensitive ? sensitiveMask : (capture?.content ?? null),
    can: whatCan(message, { isSensitive, messages: story.messages }),
  };
}

/** Of what has no step of its own. */
function notesOf({ notes }: StoryMessage): Record<string, unknown> {
  const { passed_over: _, resend_run: __, ...others } = notes ?? {};
  return others;
}

function waitsOf({ state, waits, dueAt }: StoryMessage): MessageLane['waits'] {
  if (state !== 'queued') return null;
  const until = dueAt?.getTime() ?? null;
  return { reason: waits ?? 'turn', until, sentence: explainWait(waits, dueAt) };
}

type Records = { attempts: StoryAttempt[]; receipts: StoryReceipt[] };

function explanationOf(message: StoryMessage, { attempts, receipts }: Records) {
  const { state, reason } = message;
  const last = attempts.at(-1);
  const told =
    receipts.findLast((receipt) => receipt.state === 'failed')?.detail ?? last?.detail ?? null;
  if (state === 'failed' || state === 'skipped') return explainReason(reason ?? '', told);
  return last ? explainAttempt(last) : null;
}

function stepsOf(message: StoryMessage, records: Records & { isSensitive: boolean }): Step[] {
  const { attempts, receipts, isSensitive } = records;
  const planned: Step = {
    kind: 'planned',
    at: message.createdAt.getTime(),
    detail: typeof message.notes?.['address'] === 'string' ? message.notes['address'] : '',
  };
  const steps: Step[] = [
    planned,
    ...passedOverSteps(message),
    ...attempts.flatMap((attempt, index) => withWait(attempt, attempts[index + 1], isSensitive)),
    ...receipts.map(receiptStep),
  ];
  if (message.settledAt) {
    const { state, reason, settledAt } = message;
    const detail = reason === null ? '' : endOf(reason);
    steps.push({ kind: 'settled', at: settledAt.getTime(), state, reason, detail });
  }
  return steps.toSorted((a, b) => a.at - b.at);
}

/** What the reason means, and what to do about it. */
function endOf(reason: string): string {
  const { what, remedy } = explainReason(reason, null);
  return [what, remedy].filter((part) => part !== null).join(' ');
}

function passedOverSteps({ notes }: StoryMessage): Step[] {
  return readPassedOver(notes).map(({ name, reason, detail, at }) => ({
    kind: 'passed_over',
    at: at.getTime(),
    integration: name,
    reason,
    detail: detail ? `${passedOverReasons[reason]} ${detail}` : passedOverReasons[reason],
  }));
}

/** A call, and how long it was until the next one. */
function withWait(
  attempt: StoryAttempt,
  next: StoryAttempt | undefined,
  isSensitive: boolean,
): Step[] {
  const step = attemptStep(attempt, isSensitive);
  if (!attempt.closedAt || (attempt.outcome !== 'retry' && attempt.outcome !== 'unknown'))
    return [step];
  const until = next?.openedAt.getTime() ?? null;
  return [
    step,
    { kind: 'waited', at: attempt.closedAt.getTime(), until, detail: attempt.detail ?? '' },
  ];
}

function attemptStep(attempt: StoryAttempt, isSensitive: boolean): AttemptStep {
  const shown = (text: string | null): unknown =>
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
    request: shown(attempt.request),
    response: shown(attempt.response),
    explanation: explainAttempt(attempt),
  };
}

function receiptStep({ receivedAt, state, errorCode, detail, body }: StoryReceipt): ReceiptStep {
  return {
    kind: 'receipt',
    at: receivedAt.getTime(),
    state,
    errorCode,
    detail,
    body: readJson(body),
  };
}

/** A text that was cut to its limit is no JSON any more: it is shown as it is. */
function readJson(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

type Neighbours = { isSensitive: boolean; messages: readonly StoryMessage[] };

function whatCan(message: StoryMessage, { isSensitive, messages }: Neighbours): MessageLane['can'] {
  const { state, target } = message;
  const isNewest = !messages.some(({ resendOf }) => resendOf === message.id);
  const isErased = target === erasedTarget(message.id);
  const because = findResendObstacle({ state, isNewest, isSensitive, isErased }) ?? null;
  const warning = because === null ? (findResendWarning(state) ?? null) : null;
  const isQueued = state === 'queued';
  return {
    resend: { isAllowed: because === null, warning, because },
    cancel: {
      isAllowed: isQueued,
      because: isQueued ? null : 'Only a message that still waits can be cancelled.',
    },
  };
}
