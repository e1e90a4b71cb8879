import { matchRoutes } from 'react-router';
import { buildPath } from './route';
import { routes } from './router';

/** Page and parameters of the route that a path opens. */
function open(path: string) {
  const match = matchRoutes(routes, path)?.at(-1);
  return { page: match?.route.handle?.page, ...match?.params };
}

describe('a URL of the page', () => {
  test.each([
    ['/', { page: 'home' }],
    ['/keys', { page: 'keys' }],
    ['/apps', { page: 'apps' }],
    ['/people', { page: 'people' }],
    ['/apps/a1', { page: 'log', appId: 'a1' }],
    ['/apps/a1/log/r1', { page: 'log', appId: 'a1', id: 'r1' }],
    ['/apps/a1/events', { page: 'events', appId: 'a1' }],
    ['/apps/a1/events/e%2F1', { page: 'events', appId: 'a1', id: 'e/1' }],
    ['/apps/a1/users/u1', { page: 'users', appId: 'a1', id: 'u1' }],
    ['/set-up', {}],
    ['/join', {}],
    ['/invitations/t1', { token: 't1' }],
    ['/apps/a1/other', { page: 'missing', '*': 'apps/a1/other' }],
    ['/apps/a1/log/r1/more', { page: 'missing', '*': 'apps/a1/log/r1/more' }],
  ])('%s opens its page', (path, route) => {
    expect(open(path)).toEqual(route);
  });

  test('survives a round trip', () => {
    expect(open(buildPath('a 1', 'log', 'x/y'))).toEqual({ page: 'log', appId: 'a 1', id: 'x/y' });
  });
});
