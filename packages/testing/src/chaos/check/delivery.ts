import { type AttemptEntry, getPlaceKey, type MessageEntry, type RequestEntry } from '../recording';
import { explainDuplicates } from './duplicates';
import type { Facts, Violation } from './facts';

/** B1 to B7: the accepted messages, compared with provider calls and stored attempts. */
export function checkDelivery(facts: Facts): Violation[] {
  const messagePlaces = new Set(facts.messages.map(getPlaceKey));
  return [
    ...facts.requests.flatMap((request) => checkPlanned(facts, request)),
    ...facts.messages.flatMap((message) => checkMessage(facts, message)),
    ...facts.sends
      .filter((send) => !messagePlaces.has(getPlaceKey(send)))
      .map((send) => ({ invariant: 'B2', detail: `${getPlaceKey(send)} belongs to no message` })),
  ];
}

/** Each item has, for each channel of its event, a message or a skip reason. Nothing is skipped here. */
function checkPlanned(facts: Facts, request: RequestEntry): Violation[] {
  const channels = facts.findKey(request.key)?.channels ?? [];
  const plannedKeys = new Set(
    facts.listMessages(request.id).map(({ item, channel }) => `${item} ${channel}`),
  );
  const items = Array.from({ length: request.items }, (_, item) => item);
  const missing = items.flatMap((item) =>
    channels
      .filter((channel) => !plannedKeys.has(`${item} ${channel}`))
      .map((channel) => `${item} ${channel}`),
  );
  if (missing.length === 0) return [];
  return [
    { invariant: 'B1', detail: `request ${request.id} has no message for ${missing.join(', ')}` },
  ];
}

function checkMessage(facts: Facts, message: MessageEntry): Violation[] {
  const attempts = facts.listAttempts(message.id);
  const sends = facts.listSends(message);
  const violations: Violation[] = [];
  const addViolation = (invariant: string, detail: string) =>
    violations.push({ invariant, detail: `message ${message.id} (${message.state}): ${detail}` });

  const unsettled = findUnsettledReason(facts, message);
  if (unsettled) addViolation('B1', unsettled);
  if (message.state === 'sent' && sends.length === 0) addViolation('B2', 'no provider accepted it');
  if (sends.length > attempts.length) {
    addViolation('B2', `${sends.length} provider calls, ${attempts.length} attempts on record`);
  }
  const { unexplained } = explainDuplicates(facts, message);
  if (unexplained > 0)
    addViolation('B3', `${unexplained} of ${sends.length} sends have no recorded cause`);
  const dedupes = new Set(sends.flatMap(({ dedupe }) => dedupe ?? []));
  if (dedupes.size > 1) addViolation('B4', `${dedupes.size} dedupe values`);
  if (findPolicy(facts, message) === 'hold' && sends.length > 1)
    addViolation('B5', 'resent under hold');
  if (!isSettledByItsNewest(message, attempts))
    addViolation('B6', 'settled by an attempt other than its last');
  const open = attempts.find((attempt, index) => !isOver(facts, attempt, attempts[index + 1]));
  if (open)
    addViolation('B7', `attempt ${open.number} was open when the next one began, or the run ended`);
  return violations;
}

/** PostgreSQL's times are whole milliseconds. */
const roundingMs = 1;

/** It ended, or its lease did, before the next one began. A late result moves its end and nothing else. */
function isOver({ run }: Facts, attempt: AttemptEntry, next: AttemptEntry | undefined): boolean {
  const { openedMs, closedMs } = attempt;
  if (closedMs === undefined || !next) return closedMs !== undefined;
  return Math.min(closedMs, openedMs + run.leaseMs) <= next.openedMs + roundingMs;
}

/** Why a message is neither sent nor validly unknown; undefined if it is. */
export function findUnsettledReason(facts: Facts, message: MessageEntry): string | undefined {
  const { state, attempts, unknownCount, reason } = message;
  if (state === 'sent' || state === 'delivered') return undefined;
  // No provider refused anything, and nobody paused, suppressed or cancelled.
  if (state !== 'unknown') return `at the end, with reason ${reason}`;
  const { run } = facts;
  const mayResend = unknownCount < run.unknownResends && attempts < run.attempts;
  return findPolicy(facts, message) === 'resend' && mayResend ? 'was not resent' : undefined;
}

function findPolicy(facts: Facts, message: MessageEntry): string | undefined {
  return facts.findKey(facts.findRequest(message.requestId)?.key ?? '')?.policy;
}

/** One statement writes both times. An older attempt that moves a message leaves its own time. */
function isSettledByItsNewest(message: MessageEntry, attempts: AttemptEntry[]): boolean {
  if (message.settledMs === undefined) return true;
  return attempts.at(-1)?.closedMs === message.settledMs;
}
