import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, RouterProvider } from 'react-router';
import type { Api } from './api';

/** The zone of this browser. Modules are imported below, because dates.ts reads it when it is loaded. */
const { DateTimeFormat } = Intl;
Object.assign(Intl, {
  DateTimeFormat: function createFormat(locale: string, options: Intl.DateTimeFormatOptions) {
    return new DateTimeFormat(locale, { timeZone: 'Asia/Kolkata', ...options });
  },
});

const patience = { timeout: 20_000 };
const at = Date.parse('2020-06-01T10:00:00Z');
const entry = {
  ...{ id: 'e', at, operator: null, operatorId: null, appId: null },
  ...{ action: 'key.created', subject: 's', change: null, before: null },
};

afterEach(cleanup);

async function openAudit() {
  const { createApp, createTestApi, registry, signedIn } = await import('./render-part.fixture');
  const { createQueryClient } = await import('./answers');
  const { ServicesContext } = await import('./context');
  const { routes } = await import('./router');
  const api = createTestApi({
    'GET /api/session': signedIn,
    'GET /api/registry': registry,
    'GET /api/apps': { apps: [createApp('a', 'Shop')] },
    'GET /api/audit': { entries: [entry], names: {}, next: null },
  });
  const router = createMemoryRouter(routes, { initialEntries: ['/audit'] });
  render(
    <ServicesContext value={{ api: api as unknown as Api, nonce: '' }}>
      <QueryClientProvider client={createQueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </ServicesContext>,
  );
  return screen.findByText('1 Jun 2020 15:30', {}, patience);
}

test('one switch in the app menu moves the dates of the page to UTC, and is kept', async () => {
  const time = await openAudit();
  expect(time.title).toBe('1 Jun 2020 15:30:00 UTC+05:30');
  await userEvent.click(screen.getByTitle('Switch app'));
  await userEvent.click(
    await screen.findByRole('menuitemradio', { name: 'Times in UTC' }, patience),
  );
  expect(time.title).toBe('1 Jun 2020 10:00:00 UTC');
  expect(time.textContent).toBe('1 Jun 2020 10:00');
  expect(localStorage.getItem('belfry-zone')).toBe('utc');
  const { parseInput, restoreZone, setZone } = await import('./dates');
  expect(parseInput('2026-11-30T12:00')).toBe(Date.parse('2026-11-30T12:00Z'));
  act(() => setZone('local'));
  expect(time.textContent).toBe('1 Jun 2020 15:30');
  localStorage.setItem('belfry-zone', 'utc');
  restoreZone();
  expect(parseInput('2026-11-30T12:00')).toBe(Date.parse('2026-11-30T12:00Z'));
});
