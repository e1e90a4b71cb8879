import { NotConnectedError } from '@belfry/database';
import { classifyWriteFailure } from './write-failure';

const answered = (code: string) => Object.assign(new Error('x'), { code });

describe('sortWriteFailure', () => {
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
    ['a server that starts up', answered('57P03'), 'not_written'],
    ['a deadlock', answered('40P01'), 'not_written'],
    ['a full disk', answered('53100'), 'not_written'],
    ['a statement that took too long', answered('57014'), 'not_written'],
    ['a server that only reads', answered('25006'), 'not_written'],
    ['a row that another one holds', answered('55P03'), 'locked'],
    ['a broken constraint', answered('23514'), 'faulty'],
    ['a statement that is wrong', answered('42703'), 'faulty'],
    ['a bug of ours', new TypeError('x is not a function'), 'faulty'],
    ['a server that goes down', answered('57P01'), 'unclear'],
    ['a broken connection, by its state', answered('08006'), 'unclear'],
    [
      'a broken connection, by the system',
      Object.assign(new Error('x'), { code: 'ECONNRESET', syscall: 'read' }),
      'unclear',
    ],
    [
      'a broken connection, by the system in five letters',
      Object.assign(new Error('x'), { code: 'EPIPE', syscall: 'write' }),
      'unclear',
    ],
    [
      'a broken connection, by the driver',
      new Error('Connection terminated unexpectedly'),
      'unclear',
    ],
    ['what is no error', undefined, 'unclear'],
  ])('calls %s by what it means', (_what, error, failure) => {
    expect(classifyWriteFailure(error)).toBe(failure);
  });
});
