import { explainAttempt, explainGroup, explainReason } from './explain';

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
  expect(explainGroup({ state: 'failed', reason: null })?.what).toBe('No reason was reported.');
});

test('unknown messages are explained, with what to do before a resend', () => {
  expect(explainGroup({ state: 'unknown', reason: null })).toEqual({
    what: 'The provider was called, and it is unknown whether it sent the message.',
    remedy: 'Check at the provider before you resend: a recipient may get the message twice.',
  });
});

test.each(['queued', 'sending', 'sent', 'delivered', 'read'] as const)(
  'messages that are %s need no explanation',
  (state) => expect(explainGroup({ state, reason: null })).toBeNull(),
);
