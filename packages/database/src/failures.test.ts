import { classifyWriteFailure, isDatabaseUnavailable, NotConnectedError } from './failures';

const coded = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more });

describe('classifyWriteFailure', () => {
  test.each<[string, unknown, string]>([
    [
      'a refused connection',
      new NotConnectedError(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })),
      'not_written',
    ],
    [
      'a connection that was dropped before it was ready',
      new NotConnectedError(new Error('Connection terminated unexpectedly')),
      'not_written',
    ],
    ['too many connections', new NotConnectedError(coded('53300')), 'not_written'],
    ['a server that is starting up', coded('57P03'), 'not_written'],
    ['a deadlock', coded('40P01'), 'not_written'],
    ['a full disk', coded('53100'), 'not_written'],
    ['a statement that took too long', coded('57014'), 'not_written'],
    ['a read-only server', coded('25006'), 'not_written'],
    ['a row that is locked', coded('55P03'), 'locked'],
    ['a broken constraint', coded('23514'), 'faulty'],
    ['an invalid statement', coded('42703'), 'faulty'],
    ['a bug of our own', new TypeError('x is not a function'), 'faulty'],
    ['a server that is shutting down', coded('57P01'), 'unclear'],
    ['a broken connection, by SQLSTATE', coded('08006'), 'unclear'],
    [
      'a broken connection, by system code',
      Object.assign(new Error('x'), { code: 'ECONNRESET', syscall: 'read' }),
      'unclear',
    ],
    [
      'a broken connection, by a five-letter system code',
      Object.assign(new Error('x'), { code: 'EPIPE', syscall: 'write' }),
      'unclear',
    ],
    [
      'a broken connection, by the driver',
      new Error('Connection terminated unexpectedly'),
      'unclear',
    ],
    ['a value that is not an error', undefined, 'unclear'],
  ])('classifies %s', (_what, error, failure) => {
    expect(classifyWriteFailure(error)).toBe(failure);
  });
});

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
