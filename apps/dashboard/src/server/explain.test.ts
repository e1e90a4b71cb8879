import { explainAttempt, explainReason } from './explain';

test.each(['constructor', 'toString', '__proto__'])(
  'a reason that is named like a member of every object, such as %s, has no advice',
  (reason) => {
    expect(explainReason(reason, null)).toEqual({ what: reason, remedy: null });
    expect(explainAttempt({ outcome: 'rejected', reason, detail: null })).toEqual({
      what: `The provider answered ${reason}.`,
      remedy: null,
    });
  },
);

test('a failure without a reason is explained', () => {
  expect(explainReason('no_reason', null).what).toBe('No reason was reported.');
});
