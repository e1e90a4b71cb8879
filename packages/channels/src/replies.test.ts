import { readKeyword } from './replies';

describe('a reply', () => {
  test.each([
    'STOP',
    'stop',
    ' Stop\n',
    'StopAll',
    'unsubscribe',
    'Cancel',
    'END',
    'quit',
    'Revoke',
    'optout',
    'Stop promotions',
  ])('%j stops the messages of its sender', (text) => {
    expect(readKeyword(text)).toBe('stop');
  });

  test.each(['START', 'start ', 'Yes', 'unstop'])('%j undoes a stop', (text) => {
    expect(readKeyword(text)).toBe('start');
  });

  test.each(
    [
      ['', 'HELP', 'info', 'STOP PLEASE', 'please stop', 'STOP.', 'S T O P', 'nonstop', 'restart'],
      ['constructor', `STOP${' '.repeat(1_000)}`],
    ].flat(),
  )('%j changes nothing', (text) => {
    expect(readKeyword(text)).toBeUndefined();
  });
});
