import type { AnswerEntry } from '../recording';
import { type AnsweredCall, type Facts, isSuccess, isUnclear, type Violation } from './facts';

/** A1 to A7: the answers to callers, compared with the stored rows. */
export function checkAccepting(facts: Facts): Violation[] {
  return [
    ...facts.keys.flatMap(({ key }) => checkKey(facts, key)),
    ...facts.requests.flatMap((request) => {
      const calls = facts.listCalls(request.key).filter(({ variant }) => variant === 'same');
      if (calls.some(isSuccess) || calls.some(isUnclear)) return [];
      return [
        { invariant: 'A4', detail: `request ${request.id} has no call that can have created it` },
      ];
    }),
    ...facts.calls.flatMap((call) => checkAnswer(facts, call)),
  ];
}

function checkKey(facts: Facts, key: string): Violation[] {
  const violations: Violation[] = [];
  const accepted = facts.listCalls(key).filter(isSuccess);
  const bodies = new Set(accepted.map(({ answer }) => answer?.body));
  if (bodies.size > 1)
    violations.push({ invariant: 'A2', detail: `${key} got ${bodies.size} answers` });
  const requests = facts.listRequests(key);
  if (requests.length > 1) {
    violations.push({ invariant: 'A3', detail: `${key} created ${requests.length} requests` });
  }
  for (const body of bodies) {
    const id = parseRequestId(body ?? '');
    if (id !== undefined && facts.findRequest(id)?.key === key) continue;
    violations.push({
      invariant: 'A1',
      detail: `${key} was answered with ${id}, which is not stored`,
    });
  }
  return violations;
}

function parseRequestId(body: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(body);
    const isObject = typeof answer === 'object' && answer !== null && 'request_id' in answer;
    return isObject && typeof answer.request_id === 'string' ? answer.request_id : undefined;
  } catch {
    return undefined;
  }
}

type Rule = {
  invariant: string;
  isBroken(facts: Facts, call: AnsweredCall, answer: AnswerEntry): boolean;
};

const rules: Rule[] = [
  {
    invariant: 'A5',
    isBroken: (_facts, { variant }, { status }) => variant === 'other' && status === 200,
  },
  {
    invariant: 'A5',
    isBroken: (_facts, { variant }, { status }) => variant === 'same' && !sameMayGet(status),
  },
  {
    invariant: 'A6',
    isBroken: (facts, call, { status }) => status === 409 && !isBusyForAReason(facts, call),
  },
  {
    invariant: 'A7',
    isBroken: (_facts, _call, { status, hasRetryAfter }) =>
      status >= 500 && !(status === 503 && hasRetryAfter),
  },
  {
    // Another account's app is answered like an app that does not exist.
    invariant: 'C2',
    isBroken: (_facts, { variant }, { status }) =>
      variant === 'stranger' && status !== 404 && status !== 408 && status < 500,
  },
];

function checkAnswer(facts: Facts, call: AnsweredCall): Violation[] {
  const { answer, key, variant } = call;
  if (!answer || answer.status === 0) return [];
  return rules
    .filter(({ isBroken }) => isBroken(facts, call, answer))
    .map(({ invariant }) => ({
      invariant,
      detail: `${key}, call ${call.call} (${variant}): ${answer.status} ${answer.body.slice(0, shownCharacters)}`,
    }));
}

const shownCharacters = 200;

/** Another rule covers 5xx. A call that arrives too late is answered 408, and nothing is stored. */
function sameMayGet(status: number): boolean {
  return status === 200 || status === 408 || status === 409 || status >= 500;
}

/** The assumed precision of the clocks of callers and Redis. */
const slackMs = 2_000;

/** Another call of the key is running, or an unanswered one may have left its lock. */
function isBusyForAReason(facts: Facts, call: AnsweredCall): boolean {
  const endMs = call.answer?.atMs ?? Number.POSITIVE_INFINITY;
  return facts
    .listCalls(call.key)
    .filter((other) => other.call !== call.call && other.variant !== 'stranger')
    .some((other) => other.atMs <= endMs && getWorkEndMs(facts, other) >= call.atMs);
}

/** When a call has certainly released its lock in Redis: at its answer, or when the lock expired. */
function getWorkEndMs(facts: Facts, call: AnsweredCall): number {
  const endMs = call.answer?.atMs ?? Number.POSITIVE_INFINITY;
  // After a 200 the lock becomes a stored result. Until then PostgreSQL answers.
  if (!isUnclear(call)) return endMs + slackMs;
  const lifted = facts.faults
    .filter(({ atMs, liftedMs }) => atMs <= endMs && liftedMs >= call.atMs)
    .map(({ liftedMs }) => liftedMs);
  return Math.max(endMs, ...lifted) + facts.run.lockMs + slackMs;
}
