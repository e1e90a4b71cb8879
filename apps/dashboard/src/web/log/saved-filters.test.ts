import type { SavedFilterAnswer } from '../../api/saved-filters';
import { filterRules, type PageFilters, readFilters } from './filters';
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
    const kept = { state: 'failed', reason: 'expired' };
    const filters = { ...kept, recipient: 'ana@example.com', requestId: 'x', event: '' };
    expect(pickSavableFilters(filters)).toEqual(kept);
    expect(listUnsavableNames(filters)).toEqual(['recipient', 'requestId']);
  });

  test('has every other filter of the log', () => {
    const { do: _, ...names } = filterRules;
    const all: PageFilters = Object.fromEntries(Object.keys(names).map((name) => [name, 'x']));
    const savable = Object.keys(pickSavableFilters(all));
    expect([...savable, ...listUnsavableNames(all)].sort()).toEqual(Object.keys(names).sort());
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
