import { filterJumps, listActions, listPages, toJump } from './jumps';

const noop = () => undefined;
const act = {
  switchTheme: noop,
  showKeys: noop,
  signOut: noop,
  resumeSending: noop,
};
const app = { id: 'a', sendingPausedAt: null };
const texts = (options: Partial<Parameters<typeof listActions>[0]>) =>
  listActions({ app, mayChange: true, logSearch: '', act, ...options }).map(({ text }) => text);

describe('the palette', () => {
  test('offers a viewer nothing that changes anything', () => {
    expect(texts({ mayChange: false, logSearch: 'state=failed' })).toEqual([
      'Switch theme',
      'Keyboard',
      'Sign out',
    ]);
  });

  test('offers to resume where sending is paused, and to pause where it is not', () => {
    expect(texts({})).toContain('Pause all sending');
    const paused = texts({ app: { id: 'a', sendingPausedAt: 1 } });
    expect(paused).toContain('Resume all sending');
    expect(paused).not.toContain('Pause all sending');
  });

  test('offers to resend what the log’s filters match, where there are any', () => {
    const resend = listActions({ app, mayChange: true, logSearch: 'state=failed', act })[0];
    expect(resend).toMatchObject({ to: 'apps/a/log', search: 'state=failed&do=resend' });
    expect(texts({})).not.toContain('Resend all that the filters match');
  });

  test('finds a page by its words, first those that begin with them', () => {
    expect(filterJumps(listPages('a'), 'log').map(({ text }) => text)[0]).toBe('Log');
    expect(filterJumps(listPages('a'), 'sess').map(({ to }) => to)).toEqual(['account']);
    expect(filterJumps(listPages(undefined), 'queues')).toEqual([]);
  });

  test.each([
    [{ kind: 'message', appId: 'b', requestId: 'r', event: 'e' }, 'apps/b/log/r', undefined],
    [{ kind: 'resend', appId: 'b', resendId: 's' }, 'apps/b/resends/s', undefined],
    [{ kind: 'recipient', appId: 'b' }, 'apps/b/log', 'recipient=a%2Bb%40x.org'],
    [{ kind: 'idempotencyKey', appId: 'b' }, 'apps/b/log', 'idempotencyKey=a%2Bb%40x.org'],
  ] as const)('leads to what was found: %o', (result, to, search) => {
    expect(toJump(result, 'a+b@x.org', () => 'Shop')).toMatchObject({
      to,
      ...(search ? { search } : {}),
    });
  });
});
