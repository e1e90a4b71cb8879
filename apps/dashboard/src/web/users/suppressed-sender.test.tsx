import { cleanup, screen } from '@testing-library/react';
import type { SuppressionRow } from '../../api/suppressions';
import type { UserAnswer } from '../../api/users';
import { createTestApi, renderPart } from '../render-part.fixture';
import { AddressTable } from './address-table';
import { SuppressionList } from './suppression-list';

afterEach(cleanup);

const address = '+12025550123';

const shared = { channel: 'sms', address, detail: null, at: 0 };
const suppressions: SuppressionRow[] = [
  {
    ...{ ...shared, id: '1', sender: null, scope: 'all' },
    ...{ reason: 'manual', source: 'manual', addedBy: 'ana@example.com' },
  },
  {
    ...{ ...shared, id: '2', sender: '+15005550009', scope: 'optional' },
    ...{ reason: 'opted_out', source: 'reply', addedBy: null },
  },
  {
    ...{ ...shared, id: '3', sender: '+15005550010', scope: 'all' },
    ...{ reason: 'manual', source: 'api', addedBy: null },
  },
];

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
])(
  '%s says whom a suppression is for, and whose it is, in the same words',
  async (_where, part) => {
    const answer = { suppressions, next: null };
    renderPart(part, createTestApi({ 'GET /api/apps/:appId/suppressions': answer }));
    expect(await screen.findByText(/for every sender/)).toBeTruthy();
    expect(screen.getByText(/for the sender \+15005550009/)).toBeTruthy();
    expect(screen.getAllByText(/ana@example.com/)).toHaveLength(1);
    expect(screen.getAllByText(/the recipient$/)).toHaveLength(1);
    expect(screen.getAllByText(/the API$/)).toHaveLength(1);
  },
);
