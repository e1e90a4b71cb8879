import type { SavedFilterAnswer } from '../../api/saved-filters';
import { readFilters } from './filters';
import {
  findSaved,
  formatFilters,
  listUnsavableNames,
  pickSavableFilters,
  toFilterEntries,
} from './saved-filters';

const saved: SavedFilterAnswer = {
  id: 'one',
  name: 'Failed by sms',
  filters: { last: '24h', channel: 'sms', state: 'failed' },
  savedBy: null,
  updatedAt: 0,
};

describe('a saved filter', () => {
  test('keeps only filters that do not identify one person or request', () => {
    const filters = { state: 'failed', recipient: 'ana@example.com', requestId: 'x', event: '' };
    expect(pickSavableFilters(filters)).toEqual({ state: 'failed' });
    expect(listUnsavableNames(filters)).toEqual(['recipient', 'requestId']);
  });

  test('is recognised by its URL, whatever the parameter order', () => {
    expect(findSaved([saved], readFilters('state=failed&channel=sms&last=24h'))).toBe(saved);
    expect(findSaved([saved], readFilters('state=failed&channel=sms'))).toBeUndefined();
    expect(findSaved([saved], { ...saved.filters, recipient: 'ana@example.com' })).toBeUndefined();
  });

  test('is a jump target, described by its filters', () => {
    expect(toFilterEntries('app', [saved])).toEqual([
      {
        id: 'one',
        text: 'Failed by sms',
        description: 'last 24 h, channel sms, state failed',
        to: '/apps/app/log',
        search: 'last=24h&channel=sms&state=failed',
      },
    ]);
    expect(formatFilters({ last: '3d', event: 'otp' })).toBe('3d, event otp');
  });
});
