import { metaCodes, toOutcome } from './meta-codes';

type Outcomes = Record<string, Record<string, unknown>>;

/** The outcome of each code, without its texts. */
const outcomes: Outcomes = Object.fromEntries(
  Object.entries(metaCodes).map(([code, metaCode]) => {
    const { reason: _reason, detail: _detail, ...outcome } = toOutcome(code, metaCode);
    return [code, outcome];
  }),
);

const having = (outcome: string) =>
  Object.fromEntries(Object.entries(outcomes).filter(([, each]) => each['outcome'] === outcome));

const retry = { outcome: 'retry' };
const perPerson = { ...retry, sparesIntegration: true };
const minute = { ...retry, afterMs: 60_000 };

test('a temporary code of Meta is retried after its wait, and slows the right target', () => {
  expect(having('retry')).toEqual({
    '1': minute,
    '2': minute,
    '4': { ...minute, slows: 'integration' },
    '80007': { ...minute, slows: 'integration' },
    '130429': { ...retry, slows: 'integration' },
    '131000': minute,
    '131016': minute,
    '131026': { ...perPerson, afterMs: 3_600_000, maxAttempts: 2 },
    '131048': { ...retry, afterMs: 3_600_000, slows: 'integration' },
    // The limit is per person, so other messages of the number are not slowed.
    '131056': { ...perPerson, afterMs: 6_000, slows: 'target' },
    '131057': minute,
    '133004': minute,
  });
});

test('a permanent code of Meta blames the integration, the recipient or the content', () => {
  const listCodes = (scope: string) =>
    Object.keys(having('rejected')).filter((code) => outcomes[code]?.['scope'] === scope);
  expect(listCodes('integration')).toEqual([
    '0',
    '10',
    '190',
    '368',
    '130497',
    '131005',
    '131031',
    '131042',
    '133010',
  ]);
  expect(listCodes('recipient')).toEqual(['1006', '1013', '1021', '1026', '131049', '131050']);
  expect(listCodes('content')).toEqual(
    [
      ['100', '470', '131008', '131009', '131021', '131047', '131051'],
      ['132000', '132001', '132005', '132007', '132012', '132015', '132016'],
    ].flat(),
  );
});
