import { createWaiters } from './waiters';

describe('places of calls that wait', () => {
  test('are bounded for one account, and given back', () => {
    const takePlace = createWaiters({ max: 5, maxOfOne: 2 });
    const leave = takePlace('a');
    takePlace('a');
    expect(() => takePlace('a')).toThrow('2 calls of the account wait already');
    takePlace('b');
    leave();
    takePlace('a');
    expect(() => takePlace('a')).toThrow();
  });

  test('are bounded in all', () => {
    const takePlace = createWaiters({ max: 1, maxOfOne: 2 });
    const leave = takePlace('a');
    expect(() => takePlace('b')).toThrow(expect.objectContaining({ code: 'unavailable' }));
    leave();
    takePlace('b');
  });
});
