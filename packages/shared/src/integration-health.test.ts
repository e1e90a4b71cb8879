import { type HealthFacts, type HealthVerdict, judgeHealth } from './integration-health';

const now = new Date('2026-11-30T03:00:00Z');
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);

const works: HealthFacts = {
  state: 'active',
  lastSuccessAt: minutesAgo(1),
  failuresInRow: 0,
  succeeded: 100,
  failed: 0,
  circuitOpenUntil: null,
};
const noAttempts = { succeeded: 0, failed: 0 };

test.each<[string, Partial<HealthFacts>, HealthVerdict]>([
  ['attempts succeed', {}, 'healthy'],
  [
    'the last success was long ago, and nothing failed since',
    { lastSuccessAt: minutesAgo(9_999), ...noAttempts },
    'healthy',
  ],
  ['nothing happened yet', { lastSuccessAt: null, ...noAttempts }, 'untested'],
  ['4 % of the attempts failed', { succeeded: 96, failed: 4 }, 'healthy'],
  ['5 % of the attempts failed', { succeeded: 95, failed: 5 }, 'degraded'],
  ['the last 4 attempts failed', { failuresInRow: 4, failed: 4 }, 'healthy'],
  [
    'the last 5 attempts failed, however many succeeded before',
    { failuresInRow: 5, succeeded: 9_999, failed: 5 },
    'failing',
  ],
  [
    'the first attempt failed',
    { lastSuccessAt: null, failuresInRow: 1, succeeded: 0, failed: 1 },
    'failing',
  ],
  [
    'the only attempt since more than an hour failed',
    { lastSuccessAt: minutesAgo(61), failuresInRow: 1, ...noAttempts },
    'failing',
  ],
  [
    'the only failure follows a success of the last hour',
    { lastSuccessAt: minutesAgo(59), failuresInRow: 1, succeeded: 1, failed: 1 },
    'degraded',
  ],
  [
    'the circuit is open',
    { failuresInRow: 1, failed: 1, circuitOpenUntil: minutesAgo(-1) },
    'failing',
  ],
  ['the circuit closed by a success', { circuitOpenUntil: minutesAgo(-1) }, 'healthy'],
  ['it works, but is paused', { state: 'paused' }, 'paused'],
  [
    'it fails, and needs attention',
    { state: 'needs_attention', failuresInRow: 9 },
    'needs_attention',
  ],
])('when %s, an integration is judged by the rule', (_case, changes, verdict) => {
  expect(judgeHealth({ ...works, ...changes }, now)).toBe(verdict);
});
