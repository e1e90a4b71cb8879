import { cleanup, screen } from '@testing-library/react';
import { renderPart, signedIn } from '../render-part.fixture';
import { SetUpPage } from './set-up-page';

afterEach(cleanup);

test.each([
  { code: 'link_ended', isEnded: true },
  { code: 'unavailable', isEnded: false },
])('a link is called ended only if it is: $code', async ({ code, isEnded }) => {
  const api = {
    call: jest.fn(async () => ({ problem: { code, error: 'The server says why.' } })),
    getUrl: (route: string) => route,
  };
  const { connection } = signedIn;
  // Every route has the same answer.
  renderPart(<SetUpPage token="t" connection={connection} onDone={jest.fn()} />, api as never);
  await screen.findByText('The server says why.');
  expect(screen.queryByRole('heading', { name: 'This link does not work' }) !== null).toBe(isEnded);
  expect(screen.queryByRole('button', { name: 'Try again' }) !== null).toBe(!isEnded);
});
