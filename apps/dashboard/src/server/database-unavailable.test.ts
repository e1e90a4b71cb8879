import { isDatabaseUnavailable } from './database-unavailable';

const coded = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more });

describe('PostgreSQL', () => {
  test.each([
    ['refuses connections', coded('ECONNREFUSED', { syscall: 'connect' }), true],
    ['resets a connection', coded('ECONNRESET', { syscall: 'read' }), true],
    ['ends a connection that is written to', coded('EPIPE', { syscall: 'write' }), true],
    ['is shut down', coded('57P01'), true],
    ['cannot be reached, by Prisma', coded('P1001'), true],
    ['breaks the connection', new Error('Connection terminated unexpectedly'), true],
    ['goes silent', new Error('Query read timeout'), true],
    ['refuses a statement of ours', coded('42703'), false],
    ['was never asked', new Error('A message without its version'), false],
    ['was asked for nonsense', new TypeError('x is not a function'), false],
    ['has nothing to do with a body that is no gzip', coded('Z_DATA_ERROR', { errno: -3 }), false],
    ['has nothing to do with a body that ended early', coded('ECONNABORTED'), false],
    ['has nothing to do with a stream that ended', coded('ERR_STREAM_PREMATURE_CLOSE'), false],
    ['has nothing to do with a file', coded('EMFILE', { syscall: 'open' }), false],
    ['has nothing to do with what is no error', undefined, false],
  ])('that %s: is it away?', (_what, error, isUnavailable) => {
    expect(isDatabaseUnavailable(error)).toBe(isUnavailable);
  });
});
