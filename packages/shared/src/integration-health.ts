/** The verdicts on an integration, and what each means. */
export const healthVerdicts = {
  untested: 'It was never used or tested.',
  healthy: 'It works.',
  degraded: 'It works, but some attempts fail.',
  failing: 'It does not work.',
  needs_attention: 'The provider refused its credentials or its sender.',
  paused: 'An operator paused it.',
} as const satisfies Record<string, string>;

export type HealthVerdict = keyof typeof healthVerdicts;

/**
 * Results of attempts and connection tests. A failure is a fault of the integration: no answer, a refused login, or a
 * provider that asks for a retry. A refused recipient or content counts as neither.
 */
export type HealthFacts = {
  state: 'active' | 'needs_attention' | 'paused';
  lastSuccessAt: Date | null;
  /** Failures since the last success. */
  failuresInRow: number;
  /** Attempts of the last hour. */
  succeeded: number;
  failed: number;
  circuitOpenUntil: Date | null;
};

/** As many as open the circuit. */
export const failingAfterInRow = 5;
const degradedFromShare = 0.05;
const hourMs = 60 * 60_000;

/**
 * The first matching rule decides:
 * 1. `paused`, `needs_attention`: its state.
 * 2. `untested`: no success and no failure yet.
 * 3. `failing`: nothing succeeded since the last failure, and the circuit is open, or the last 5
 *    results were failures, or there was no success within the last hour.
 * 4. `degraded`: at least 5 % of the last hour's attempts failed.
 * 5. `healthy`.
 */
export function judgeHealth(facts: HealthFacts, now: Date): HealthVerdict {
  if (facts.state !== 'active') return facts.state;
  if (facts.lastSuccessAt === null && facts.failuresInRow === 0) return 'untested';
  if (facts.failuresInRow > 0 && isFailing(facts, now)) return 'failing';
  const attempts = facts.succeeded + facts.failed;
  return facts.failed > 0 && facts.failed / attempts >= degradedFromShare ? 'degraded' : 'healthy';
}

export function isCircuitOpen(
  { circuitOpenUntil, failuresInRow }: Pick<HealthFacts, 'circuitOpenUntil' | 'failuresInRow'>,
  now: Date,
): boolean {
  return failuresInRow > 0 && circuitOpenUntil !== null && circuitOpenUntil > now;
}

function isFailing(facts: HealthFacts, now: Date): boolean {
  const sinceSuccessMs = now.getTime() - (facts.lastSuccessAt?.getTime() ?? 0);
  return (
    isCircuitOpen(facts, now) || facts.failuresInRow >= failingAfterInRow || sinceSuccessMs > hourMs
  );
}
