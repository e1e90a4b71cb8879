import { cleanup, screen } from '@testing-library/react';
import type { IntegrationQueue } from '../../api/queues';
import { createTestApi, renderPart } from '../render-part.fixture';
import { IntegrationTable } from './integration-table';

afterEach(cleanup);

function createIntegration(
  name: string,
  waiting: number,
  isWaitingCapped = false,
): IntegrationQueue {
  return {
    ...{ id: name, appId: 'a', name, channel: 'sms', provider: 'twilio' },
    ...{ state: 'active', stateReason: null, waiting, isWaitingCapped },
    health: {
      ...{ verdict: 'healthy', lastSuccessAt: 0, lastFailureAt: null, lastError: null },
      ...{ failuresInRow: 0, succeeded: 0, failed: 0, isCircuitOpen: false },
      ...{ pausedAt: null, pausedBy: null },
    },
  };
}

test('an integration that needs attention says why, also without a failed attempt', () => {
  const healthy = createIntegration('slack-bot', 0);
  const revoked: IntegrationQueue = {
    ...{ ...healthy, state: 'needs_attention', stateReason: 'Slack revoked this token.' },
    health: { ...healthy.health, verdict: 'needs_attention' },
  };
  renderPart(
    <IntegrationTable integrations={[revoked]} onChanged={async () => undefined} />,
    createTestApi({}),
  );
  screen.getByText('Slack revoked this token.');
});

test('the number of waiting messages leads to exactly these in the log', () => {
  const integrations = [
    createIntegration('twilio eu', 12),
    createIntegration('full', 1_000, true),
    createIntegration('behind', 0, true),
  ];
  renderPart(
    <IntegrationTable
      integrations={[...integrations, createIntegration('idle', 0)]}
      onChanged={async () => undefined}
    />,
    createTestApi({}),
  );
  const link = screen.getByRole<HTMLAnchorElement>('link', { name: '12 waiting for twilio eu' });
  expect(link.getAttribute('href')).toBe('/apps/a/log?state=queued&integration=twilio+eu');
  expect(screen.getByRole('link', { name: '1,000+ waiting for full' })).toBeTruthy();
  expect(screen.getByRole('link', { name: '0+ waiting for behind' })).toBeTruthy();
  expect(screen.queryByRole('link', { name: /waiting for idle/ })).toBeNull();
});
