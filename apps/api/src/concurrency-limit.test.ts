import { createConcurrencyLimit } from './concurrency-limit';

describe('places of calls that wait', () => {
  test('are bounded for one account, and given back', () => {
    const acquireSlot = createConcurrencyLimit({ max: 5, maxOfOne: 2 });
    const release = acquireSlot('a');
    acquireSlot('a');
    expect(() => acquireSlot('a')).toThrow('2 calls of the account wait already');
    acquireSlot('b');
    release();
    acquireSlot('a');
    expect(() => acquireSlot('a')).toThrow();
  });

  test('are bounded in all', () => {
    const acquireSlot = createConcurrencyLimit({ max: 1, maxOfOne: 2 });
    const release = acquireSlot('a');
    expect(() => acquireSlot('b')).toThrow(expect.objectContaining({ code: 'unavailable' }));
    release();
    acquireSlot('b');
  });
});
