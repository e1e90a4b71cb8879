import { cleanup, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { ErrorPage } from './error-page';

afterEach(cleanup);

function Broken(): never {
  throw new RangeError('Invalid time value');
}

test('a page that fails shows what failed, an ID and a way back', async () => {
  jest.spyOn(console, 'error').mockImplementation(() => undefined);
  const router = createMemoryRouter([
    { path: '/', Component: Broken, errorElement: <ErrorPage /> },
  ]);
  render(<RouterProvider router={router} />);
  const page = await screen.findByRole('alert');
  expect(page.textContent).toContain('Invalid time value');
  expect(page.textContent).toMatch(/Error ID: [0-9a-f-]{36}/);
  expect(screen.getByText('Open the log').getAttribute('href')).toBe('/');
});
