import { cleanup, screen } from '@testing-library/react';
import type { SuppressionRow } from '../../api/suppressions';
import type { UserAnswer } from '../../api/users';
import { createTestApi, renderPart } from '../render-part.fixture';
import { AddressTable } from './address-table';
import { SuppressionList } from './suppression-list';

afterEach(cleanup);

const address = '+12025550123';

function createSuppression(id: string, sender: string | null): SuppressionRow {
  const facts = {
    ...{ reason: 'manual', detail: null, addedBy: 'ana@example.com', at: 0 },
    ...{ scope: 'all' as const, source: 'manual' },
  };
  return { id, channel: 'sms', address, sender, ...facts };
}

const suppressions = [createSuppression('1', null), createSuppression('2', '+15005550009')];

test.each([
  ['the list of suppressions', <SuppressionList key="list" text="" />],
  [
    'the profile of a user',
    <AddressTable
      key="profile"
      user={
        {
          addresses: [{ channel: 'sms', address, note: null, obstacle: null }],
          suppressions,
          preferences: { locale: null, switches: [] },
        } as unknown as UserAnswer
      }
      onChanged={async () => undefined}
    />,
  ],
])('%s says whom a suppression is for in the same words', async (_where, part) => {
  const answer = { suppressions, next: null };
  renderPart(part, createTestApi({ 'GET /api/apps/:appId/suppressions': answer }));
  expect(await screen.findByText(/for every sender/)).toBeTruthy();
  expect(screen.getByText(/for the sender \+15005550009/)).toBeTruthy();
});
