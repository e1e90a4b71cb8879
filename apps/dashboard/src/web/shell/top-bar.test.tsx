import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { createQueryClient } from '../answers';
import type { Api } from '../api';
import { ServicesContext } from '../context';
import { createApp, createTestApi, registry, renderPart, signedIn } from '../render-part.fixture';
import { routes } from '../router';
import { TopBar } from './top-bar';

afterEach(cleanup);

const patience = { timeout: 20_000 };

function openPage(path: string) {
  const api = createTestApi({
    'GET /api/session': signedIn,
    'GET /api/registry': registry,
    'GET /api/apps': { apps: [createApp('a', 'Shop')] },
  });
  const router = createMemoryRouter(routes, { initialEntries: [path] });
  render(
    <ServicesContext value={{ api: api as unknown as Api, nonce: '' }}>
      <QueryClientProvider client={createQueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </ServicesContext>,
  );
}

test('a page of an app that does not exist has no other title than “Page not found”', async () => {
  localStorage.setItem('belfry-app', 'a');
  openPage('/apps/xyz/log');
  await screen.findByText(/This page does not exist/, {}, patience);
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Page not found');
  expect(document.title).toBe('Page not found · Belfry');
  expect(localStorage.getItem('belfry-app')).toBe('a');
});

test('the title of an event that does not exist says so', async () => {
  const api = createTestApi({});
  const problem = { code: 'not_found', error: 'No event has this ID.' };
  api.call.mockImplementation(() => Promise.resolve({ problem } as never));
  renderPart(
    <TopBar route={{ page: 'events', appId: 'a', id: 'e' }} onFind={() => undefined} />,
    api,
  );
  await screen.findByText('not found');
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Events / not found');
});

test('the title of an event has its name', async () => {
  const api = createTestApi({ 'GET /api/apps/:appId/events/:eventId': { name: 'order_shipped' } });
  renderPart(
    <TopBar route={{ page: 'events', appId: 'a', id: 'e' }} onFind={() => undefined} />,
    api,
  );
  await screen.findByText('order_shipped');
});
