import type { IntegrationHealthAnswer } from '../../api/integrations';
import type { IntegrationQueue } from '../../api/queues';
import { formatFull, formatMoment } from '../dates';
import { count } from '../format';

const verdictLabels: Record<IntegrationHealthAnswer['verdict'], string> = {
  untested: 'untested',
  healthy: 'healthy',
  degraded: 'degraded',
  failing: 'failing',
  needs_attention: 'needs attention',
  paused: 'paused',
};

/** Such as `failing` or `paused by ana@example.com since 22:14:03`. */
export function formatVerdict(health: IntegrationHealthAnswer, now: number): string {
  const { verdict, pausedBy, pausedAt, isCircuitOpen } = health;
  if (verdict === 'failing' && isCircuitOpen) return 'failing, circuit open';
  if (verdict !== 'paused') return verdictLabels[verdict];
  const by = pausedBy === null ? '' : ` by ${pausedBy}`;
  return `paused${by}${pausedAt === null ? '' : ` since ${formatMoment(pausedAt, now)}`}`;
}

/** The attempts of the last hour. */
export function formatLastHour({ succeeded, failed }: IntegrationHealthAnswer): string {
  if (succeeded + failed === 0) return 'no attempts';
  return `${count(succeeded)} succeeded, ${count(failed)} failed`;
}

type WaitingCount = Pick<IntegrationQueue, 'waiting' | 'isWaitingCapped'>;

/** `12`, `1,000+`; `0+` if there may be some behind a backlog of the channel. Undefined if none waits. */
export function formatWaiting({ waiting, isWaitingCapped }: WaitingCount): string | undefined {
  if (isWaitingCapped) return `${count(waiting)}+`;
  return waiting > 0 ? count(waiting) : undefined;
}

export function formatLastSuccess({ lastSuccessAt }: IntegrationHealthAnswer): string {
  return lastSuccessAt === null ? 'never' : formatFull(lastSuccessAt);
}

export function formatLastError(
  { lastError, lastFailureAt }: IntegrationHealthAnswer,
  formatAt = formatFull,
): string {
  if (lastFailureAt === null) return 'none';
  return `${formatAt(lastFailureAt)}: ${lastError ?? 'no details'}`;
}
