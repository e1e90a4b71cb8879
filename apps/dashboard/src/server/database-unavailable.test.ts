import { isDatabaseUnavailable } from './database-unavailable';

const coded = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more });

describe('PostgreSQL', () => {
  test.each([
    ['refuses connections', coded('ECONNREFUSED', { syscall: 'connect' }), true],
    ['resets a connection', coded('ECONNRESET', { syscall: 'read' }), true],
    ['ends a connection that is written to', coded('EPIPE', { syscall: 'write' }), true],
    ['shuts down', coded('57P01'), true],
    ['is unreachable according to Prisma', coded('P1001'), true],
    ['breaks the connection', new Error('Connection terminated unexpectedly'), true],
    ['stops answering', new Error('Query read timeout'), true],
    ['rejects a statement', coded('42703'), false],
    ['was not queried', new Error('A message without its version'), false],
    ['is not involved in a bug of ours', new TypeError('x is not a function'), false],
    ['is not involved in an invalid gzip body', coded('Z_DATA_ERROR', { errno: -3 }), false],
    ['is not involved in a truncated body', coded('ECONNABORTED'), false],
    ['is not involved in a closed stream', coded('ERR_STREAM_PREMATURE_CLOSE'), false],
    ['is not involved in a file error', coded('EMFILE', { syscall: 'open' }), false],
    ['is not involved in a thrown non-error', undefined, false],
  ])('that %s is classified correctly', (_what, error, isUnavailable) => {
    expect(isDatabaseUnavailable(error)).toBe(isUnavailable);
  });
});
