import { mergeRecipients } from './recipient';

describe('mergeRecipients', () => {
  const stored = { onesignalExternalId: 'ana', email: 'ana@example.com' };

  test('lets given subscriptions of OneSignal win over a stored external id', () => {
    expect(mergeRecipients(stored, { onesignalPlayerIds: ['p'] })).toEqual({
      email: 'ana@example.com',
      onesignalPlayerIds: ['p'],
    });
  });

  test('keeps an external id that is given beside them', () => {
    const overrides = { onesignalExternalId: 'bo', onesignalPlayerIds: ['p'] };
    expect(mergeRecipients(stored, overrides)).toEqual({ ...stored, ...overrides });
  });

  test('keeps a stored external id where nothing else is given', () => {
    expect(mergeRecipients(stored, {})).toEqual(stored);
  });
});
