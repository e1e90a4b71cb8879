import { filterJumps, listActions, listApps, listPages, toJump } from './jumps';

const noop = () => undefined;
const act = {
  setTheme: noop,
  setZone: noop,
  showKeys: noop,
  signOut: noop,
  resumeSending: noop,
};
const app = { id: 'a', sendingPausedAt: null };
const texts = (options: Partial<Parameters<typeof listActions>[0]>) =>
  listActions({ app, mayChange: true, logSearch: '', act, ...options }).map(({ text }) => text);

describe('the palette', () => {
  test('offers a viewer no changing actions', () => {
    expect(texts({ mayChange: false, logSearch: 'state=failed' })).toEqual([
      'Theme: system',
      'Theme: light',
      'Theme: dark',
      expect.stringMatching(/^Times in local time, UTC/),
      'Times in UTC',
      'Keyboard shortcuts',
      'Sign out',
    ]);
  });

  test('offers resume if sending is paused, and pause otherwise', () => {
    expect(texts({})).toContain('Pause all sending');
    const paused = texts({ app: { id: 'a', sendingPausedAt: 1 } });
    expect(paused).toContain('Resume all sending');
    expect(paused).not.toContain('Pause all sending');
  });

  test('offers a resend if the log is filtered', () => {
    const resend = listActions({ app, mayChange: true, logSearch: 'state=failed', act })[0];
    expect(resend).toMatchObject({ to: '/apps/a/log', search: 'state=failed&do=resend' });
    expect(texts({})).not.toContain('Resend all messages that match the filters');
  });

  test('finds a page by its words, prefix matches first', () => {
    expect(filterJumps(listPages('a'), 'log').map(({ text }) => text)[0]).toBe('Log');
    expect(filterJumps(listPages('a'), 'sess').map(({ to }) => to)).toEqual(['/account']);
    expect(filterJumps(listPages(undefined), 'queues')).toEqual([]);
  });

  test('offers the other apps, by their names', () => {
    const apps = [
      { id: 'a', name: 'Shop' },
      { id: 'b', name: 'Mill' },
    ];
    expect(listApps(apps, 'a')).toMatchObject([{ text: 'Mill', to: '/apps/b/log' }]);
    expect(listApps(apps, undefined)).toHaveLength(2);
  });

  test.each([
    [{ kind: 'message', requestId: 'r', event: 'e', filters: { requestId: 'r' } }, 'log/r'],
    [{ kind: 'resend', resendId: 's', filters: null }, 'resends/s'],
    [{ kind: 'user', userSid: 'u', filters: { recipient: 'x' } }, 'users/u'],
    [{ kind: 'recipient', filters: { recipient: 'a+b@x.org' } }, 'log?recipient=a%2Bb%40x.org'],
    [{ kind: 'idempotencyKey', filters: { idempotencyKey: 'k' } }, 'log?idempotencyKey=k'],
  ] as const)('links to the result: %o', (result, path) => {
    const jump = toJump({ ...result, appId: 'b', label: 'label' }, () => 'Shop');
    expect([jump.to, jump.search].filter(Boolean).join('?')).toBe(`/apps/b/${path}`);
  });
});
