import type { IntegrationHealthAnswer } from '../../api/integrations';
import { formatLastError, formatLastHour, formatVerdict } from './health-text';

const now = new Date(2026, 10, 30, 3, 0).getTime();
const health: IntegrationHealthAnswer = {
  verdict: 'healthy',
  lastSuccessAt: now,
  lastFailureAt: null,
  lastError: null,
  failuresInRow: 0,
  succeeded: 0,
  failed: 0,
  isCircuitOpen: false,
  pausedAt: null,
  pausedBy: null,
};
const pausedAt = new Date(2026, 10, 30, 2, 14, 3).getTime();

test.each<[Partial<IntegrationHealthAnswer>, string]>([
  [{}, 'healthy'],
  [{ verdict: 'failing', isCircuitOpen: true }, 'failing, circuit open'],
  [{ verdict: 'needs_attention' }, 'needs attention'],
  [
    { verdict: 'paused', pausedAt, pausedBy: 'ana@example.com' },
    'paused by ana@example.com since 02:14:03',
  ],
  [{ verdict: 'paused' }, 'paused'],
])('a verdict is shown as text: %j', (changes, text) => {
  expect(formatVerdict({ ...health, ...changes }, now)).toBe(text);
});

test('the last hour and the last error are shown with numbers and time', () => {
  expect(formatLastHour(health)).toBe('no attempts');
  expect(formatLastHour({ ...health, succeeded: 1_200, failed: 3 })).toBe(
    '1,200 succeeded, 3 failed',
  );
  const lastError = '10.0.0.5:25 refused the connection.';
  expect(formatLastError(health)).toBe('none');
  expect(formatLastError({ ...health, lastFailureAt: pausedAt, lastError })).toMatch(
    /^30 Nov 2026 02:14:03 UTC\S*: 10\.0\.0\.5:25 refused the connection\.$/,
  );
});
