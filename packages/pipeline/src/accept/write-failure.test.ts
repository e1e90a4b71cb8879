import { NotConnectedError } from '@belfry/database';
import { classifyWriteFailure } from './write-failure';

const answered = (code: string) => Object.assign(new Error('x'), { code });

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
    ['too many connections', new NotConnectedError(answered('53300')), 'not_written'],
    ['a server that is starting up', answered('57P03'), 'not_written'],
    ['a deadlock', answered('40P01'), 'not_written'],
    ['a full disk', answered('53100'), 'not_written'],
    ['a statement that took too long', answered('57014'), 'not_written'],
    ['a read-only server', answered('25006'), 'not_written'],
    ['a row that is locked', answered('55P03'), 'locked'],
    ['a broken constraint', answered('23514'), 'faulty'],
    ['an invalid statement', answered('42703'), 'faulty'],
    ['a bug of our own', new TypeError('x is not a function'), 'faulty'],
    ['a server that is shutting down', answered('57P01'), 'unclear'],
    ['a broken connection, by SQLSTATE', answered('08006'), 'unclear'],
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
