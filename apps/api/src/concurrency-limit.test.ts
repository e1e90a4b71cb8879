import { createConcurrencyLimit } from './concurrency-limit';

describe('createConcurrencyLimit', () => {
  test('limits the slots of one account, and frees a released slot', () => {
    const acquireSlot = createConcurrencyLimit({ max: 5, maxPerAccount: 2 });
    const release = acquireSlot('a');
    acquireSlot('a');
    expect(() => acquireSlot('a')).toThrow('the account already has 2 waiting calls');
    acquireSlot('b');
    release();
    acquireSlot('a');
    expect(() => acquireSlot('a')).toThrow();
  });

  test('limits the slots of all accounts together', () => {
    const acquireSlot = createConcurrencyLimit({ max: 1, maxPerAccount: 2 });
    const release = acquireSlot('a');
    expect(() => acquireSlot('b')).toThrow(expect.objectContaining({ code: 'unavailable' }));
    release();
    acquireSlot('b');
  });
});
