import { cleanup, screen, within } from '@testing-library/react';
import type { KeyListAnswer, KeyRow } from '../../api/keys';
import { formatFull } from '../dates';
import { createTestApi, renderPart } from '../render-part.fixture';
import { KeysPage } from './keys-page';

afterEach(cleanup);

const row = { state: 'active', createdAt: 0, expiresAt: null } as const;
const lastUsedAt = Date.UTC(2026, 0, 5, 3, 4);
const used: KeyRow = { ...row, id: 'k', name: 'Shop backend', hint: 'bk_7Qd2…', lastUsedAt };
const unused: KeyRow = { ...used, id: 'l', name: 'Mobile app', lastUsedAt: null };

test('each API key has its name and the time of its last use, or “never”', async () => {
  const list: KeyListAnswer = { keys: [used, unused], maxActive: 2 };
  renderPart(<KeysPage />, createTestApi({ 'GET /api/keys': list }));
  const table = await screen.findByRole('table', { name: 'API keys' });
  const getRow = (name: RegExp) => within(within(table).getByRole('row', { name }));
  const usedRow = getRow(/Shop backend/);
  expect(usedRow.getByTitle(formatFull(lastUsedAt)).closest('[data-label]')).toHaveProperty(
    'dataset.label',
    'last used',
  );
  expect(usedRow.queryByText('never')).toBeNull();
  expect(getRow(/Mobile app/).getByText('never')).toBeTruthy();
});
