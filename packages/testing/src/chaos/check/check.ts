import { type Entry, filterEntries } from '../recording';
import { checkAccepting } from './accepting';
import { checkDelivery, findUnsettledReason } from './delivery';
import { type Cause, explainDuplicates } from './duplicates';
import { type Facts, isSuccess, readFacts, type Violation } from './facts';
import { checkWebhooks } from './webhooks';

export type Verdict = {
  violations: Violation[];
  /** Accepted but missing: requests, messages that they asked for, and messages that failed without a reason. */
  lost: number;
  doubleAccepted: number;
  /** Keys without a final answer, and messages that are neither final nor permanently unknown. */
  unsettled: number;
  /** Sends beyond the first of their message. */
  duplicates: number;
  duplicatesByCause: Partial<Record<Cause, number>>;
  unexplainedDuplicates: number;
};

/** Judges a run by its recording alone. */
export function check(entries: readonly Entry[]): Verdict {
  const facts = readFacts(entries);
  const explained = facts.messages.map((message) => explainDuplicates(facts, message));
  const causes = explained.flatMap(({ byCause }) => byCause);
  const unexplainedDuplicates = sum(explained.map(({ unexplained }) => unexplained));
  return {
    violations: [
      ...checkAccepting(facts),
      ...checkDelivery(facts),
      ...checkSettled(facts),
      ...checkLeaks(facts),
      ...checkProcesses(facts),
      ...checkWebhooks(facts),
    ],
    lost: countLost(facts),
    doubleAccepted: sum(
      facts.keys.map(({ key }) => Math.max(facts.listRequests(key).length - 1, 0)),
    ),
    unsettled: facts.end.unanswered.length + countUnsettled(facts),
    duplicates: causes.length + unexplainedDuplicates,
    duplicatesByCause: countEach(causes),
    unexplainedDuplicates,
  };
}

function checkSettled({ end }: Facts): Violation[] {
  return end.unanswered.map((key) => ({ invariant: 'B1', detail: `${key} had no final answer` }));
}

function checkLeaks({ entries }: Facts): Violation[] {
  return filterEntries(entries, 'leak').map(({ what, place }) => ({
    invariant: 'C1',
    detail: `${what} in ${place}`,
  }));
}

/** Several times the usage after an hour of the same load. A leak that grows with the load exceeds it. */
const maxResidentBytes = 700_000_000;
const maxHandles = 1_000;

function checkProcesses({ entries }: Facts): Violation[] {
  const crashes = filterEntries(entries, 'crash').map(({ name, pid, atMs, lastWords }) => ({
    invariant: 'D1',
    detail: `${name} (${pid}) crashed after ${Math.round(atMs)} ms: ${lastWords}`,
  }));
  const large = filterEntries(entries, 'resource').filter(
    ({ residentBytes, handles }) => residentBytes > maxResidentBytes || handles > maxHandles,
  );
  return [
    ...crashes,
    ...large.map(({ name, residentBytes, handles }) => ({
      invariant: 'D1',
      detail: `${name} ended the run with ${residentBytes} bytes and ${handles} handles`,
    })),
  ];
}

const finalFailures = new Set(['failed', 'skipped']);

function countLost(facts: Facts): number {
  const missing = facts.keys.filter(
    ({ key }) => facts.listCalls(key).some(isSuccess) && facts.listRequests(key).length === 0,
  );
  const messages = facts.requests.map(({ id, key, items }) => {
    const expectedCount = items * (facts.findKey(key)?.channels.length ?? 0);
    return Math.max(expectedCount - facts.listMessages(id).length, 0);
  });
  const dropped = facts.messages.filter(
    (message) =>
      finalFailures.has(message.state) ||
      (message.state === 'sent' && facts.listSends(message).length === 0),
  );
  return missing.length + sum(messages) + dropped.length;
}

function countUnsettled(facts: Facts): number {
  return facts.messages.filter(
    (message) =>
      !finalFailures.has(message.state) && findUnsettledReason(facts, message) !== undefined,
  ).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function countEach<T extends string>(names: readonly T[]): Partial<Record<T, number>> {
  const counts: Partial<Record<T, number>> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
