import {
  type InstallationFacts,
  judgeInstallation,
  type RedisMarker,
  toleratedLossMs,
} from './judge-installation';

const checkedAt = new Date('2026-12-01T12:00:00Z');
const place = { systemId: '7301', tableId: '16384/16500', timeline: '00000001' };
const promoted = { ...place, timeline: '00000002' };
const stored = {
  ...{ id: 'one', formerIds: ['former'], ...place, checkedAt },
  ...{ pausedAt: null, pauseReason: null },
};
const marker: RedisMarker = { id: 'one', checkedAt };
const later = (ms: number): RedisMarker => ({
  id: 'one',
  checkedAt: new Date(checkedAt.getTime() + ms),
});

const judge = (facts: Partial<InstallationFacts>) =>
  judgeInstallation({ stored, place, marker, ...facts });

describe('judgeInstallation', () => {
  test.each<[string, Partial<InstallationFacts>]>([
    ['nothing changed', {}],
    [
      'it starts for the first time, beside the Redis of a removed installation',
      { stored: { ...stored, tableId: null }, marker: { id: 'other', checkedAt } },
    ],
    ['a replica was promoted', { place: promoted }],
    ['a replica was promoted that lacked a minute', { place: promoted, marker: later(60_000) }],
    ['Redis was emptied', { marker: null }],
    ['Redis does not answer', { marker: undefined, place: promoted }],
    ['Redis is an old copy', { marker: later(-86_400_000) }],
    ['Redis is a copy from before a confirmation', { marker: { id: 'former', checkedAt } }],
    [
      'PostgreSQL does not tell its identifier and timeline any more',
      { place: { ...place, systemId: null, timeline: null }, marker: null },
    ],
    ['PostgreSQL never told them', { stored: { ...stored, systemId: null, timeline: null } }],
  ])('lets an installation send if %s', (_title, facts) => {
    expect(judge(facts)).toBeUndefined();
  });

  test.each<[string, Partial<InstallationFacts>, string]>([
    ['in another server', { place: { ...place, systemId: '7302' } }, 'copied'],
    ['with other OIDs', { place: { ...place, tableId: '16384/16999' } }, 'copied'],
    [
      'with other OIDs, while Redis does not answer',
      { place: { ...place, tableId: '16384/16999' }, marker: undefined },
      'copied',
    ],
    ['that is older than Redis', { marker: later(toleratedLossMs + 1) }, 'behind_redis'],
    ['beside the Redis of another one', { marker: { id: 'other', checkedAt } }, 'other_redis'],
    ['on a new timeline beside an empty Redis', { place: promoted, marker: null }, 'new_stores'],
    [
      'that an operator paused',
      { stored: { ...stored, pausedAt: checkedAt, pauseReason: 'operator' } },
      'operator',
    ],
  ])('pauses a database %s', (_title, facts, reason) => {
    expect(judge(facts)).toBe(reason);
  });
});
