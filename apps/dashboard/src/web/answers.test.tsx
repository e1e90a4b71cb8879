import { act, cleanup, screen } from '@testing-library/react';
import { useAnswer } from './answers';
import type { PageProblem } from './api';
import { TroublePage } from './pages/trouble-page';
import { renderPart } from './render-part.fixture';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  cleanup();
  jest.useRealTimers();
});

function Opened() {
  const session = useAnswer('GET /api/session');
  return <TroublePage loaded={session} reload={session.reload} />;
}

/** Returns how often the session was read in 12 s. */
async function open(problem: PageProblem) {
  const call = jest.fn(async () => ({ problem }));
  renderPart(<Opened />, { call, getUrl: (route: string) => route } as never);
  await act(() => jest.advanceTimersByTimeAsync(12_000));
  return call.mock.calls.length;
}

test.each(['unreachable', 'unavailable'] as const)(
  'a page that is %s is read again every 5 s, and says so',
  async (code) => {
    expect(await open({ code, error: 'PostgreSQL does not answer.' })).toBe(3);
    screen.getByText('PostgreSQL does not answer. This page tries again every 5 s.');
  },
);

test('a page that is refused is not read again, and does not say so', async () => {
  expect(await open({ code: 'https_required', error: 'Use HTTPS.' })).toBe(1);
  screen.getByText('Use HTTPS.');
});
