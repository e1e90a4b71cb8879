import { mergeRecipients } from './recipient';

describe('mergeRecipients', () => {
  const stored = { onesignalExternalId: 'ana', email: 'ana@example.com' };

  test('prefers OneSignal subscriptions in the request to a stored external id', () => {
    expect(mergeRecipients(stored, { onesignalPlayerIds: ['p'] })).toEqual({
      email: 'ana@example.com',
      onesignalPlayerIds: ['p'],
    });
  });

  test('keeps an external id that the request gives with them', () => {
    const overrides = { onesignalExternalId: 'bo', onesignalPlayerIds: ['p'] };
    expect(mergeRecipients(stored, overrides)).toEqual({ ...stored, ...overrides });
  });

  test('keeps a stored external id if the request gives neither', () => {
    expect(mergeRecipients(stored, {})).toEqual(stored);
  });
});
