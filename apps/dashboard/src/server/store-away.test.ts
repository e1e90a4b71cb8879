import { isStoreAway } from './store-away';

describe('PostgreSQL', () => {
  test.each([
    ['refuses connections', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), true],
    ['is shut down', Object.assign(new Error('x'), { code: '57P01' }), true],
    ['breaks the connection', new Error('Connection terminated unexpectedly'), true],
    ['goes silent', new Error('Query read timeout'), true],
    ['refuses a statement of ours', Object.assign(new Error('x'), { code: '42703' }), false],
    ['was never asked', new Error('A message without its version'), false],
    ['was asked for nonsense', new TypeError('x is not a function'), false],
  ])('that %s: is it away?', (_what, error, isAway) => {
    expect(isStoreAway(error)).toBe(isAway);
  });
});
