import { buildPath, parseRoute } from './route';

describe('a URL of the page', () => {
  test.each([
    ['', { page: 'home' }],
    ['keys', { page: 'keys' }],
    ['apps', { page: 'apps' }],
    ['apps/a1', { page: 'log', appId: 'a1', id: undefined }],
    ['apps/a1/events/e%2F1', { page: 'events', appId: 'a1', id: 'e/1' }],
    ['set-up', { page: 'set-up', token: undefined }],
    ['join', { page: 'set-up', token: undefined }],
    ['people', { page: 'people' }],
    ['apps/a1/users/u1', { page: 'users', appId: 'a1', id: 'u1' }],
    ['invitations/t1', { page: 'set-up', token: 't1' }],
    ['apps/a1/other', { page: 'missing' }],
    ['apps/a1/log/r1/more', { page: 'missing' }],
    ['%E0%A4%A', { page: 'missing' }],
  ])('%s opens its page', (path, route) => {
    expect(parseRoute(path)).toEqual(route);
  });

  test('survives a round trip', () => {
    const path = buildPath('a 1', 'log', 'x/y');
    expect(parseRoute(path)).toEqual({ page: 'log', appId: 'a 1', id: 'x/y' });
  });
});
