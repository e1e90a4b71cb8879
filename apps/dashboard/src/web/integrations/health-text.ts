import type { IntegrationHealthAnswer } from '../../api/integrations';
import { count, moment } from '../format';

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
  return `paused${by}${pausedAt === null ? '' : ` since ${moment(pausedAt, now)}`}`;
}

/** The attempts of the last hour. */
export function formatLastHour({ succeeded, failed }: IntegrationHealthAnswer): string {
  if (succeeded + failed === 0) return 'no attempts';
  return `${count(succeeded)} succeeded, ${count(failed)} failed`;
}

export function formatLastSuccess({ lastSuccessAt }: IntegrationHealthAnswer, now: number): string {
  return lastSuccessAt === null ? 'never' : moment(lastSuccessAt, now);
}

export function formatLastError(
  { lastError, lastFailureAt }: IntegrationHealthAnswer,
  now: number,
): string {
  if (lastFailureAt === null) return 'none';
  return `${moment(lastFailureAt, now)}: ${lastError ?? 'no details'}`;
}
