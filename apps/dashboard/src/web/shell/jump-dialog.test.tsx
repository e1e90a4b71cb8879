import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createApp, createTestApi, renderPart } from '../render-part.fixture';
import { JumpDialog } from './jump-dialog';

const patience = { timeout: 20_000 };
const onClose = jest.fn();

beforeAll(() => {
  // jsdom has no layout.
  Element.prototype.scrollIntoView = () => undefined;
});
afterEach(() => {
  cleanup();
  jest.clearAllMocks();
});

function open(answers: Record<string, unknown> = {}) {
  const api = createTestApi(answers);
  const apps = [createApp('a', 'Shop'), createApp('b', 'Mill')];
  const router = renderPart(<JumpDialog onClose={onClose} onHelp={() => undefined} />, api, {
    apps,
  });
  const listSearches = () => api.call.mock.calls.filter(([route]) => route === 'GET /api/find');
  return { router, listSearches, input: screen.getByRole('combobox') };
}

describe('the palette', () => {
  test.each([
    ['theme dark', 'dark'],
    ['theme light', 'light'],
    ['theme system', undefined],
  ])('accepts typing at once, and %s and Enter switches the theme', async (text, theme) => {
    open();
    await userEvent.keyboard(`${text}{Enter}`);
    expect(document.documentElement.dataset['theme']).toBe(theme);
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  test('switches to another app by its name', async () => {
    const { router } = open();
    await userEvent.keyboard('mill{Enter}');
    expect(router.state.location.pathname).toBe('/apps/b/log');
  });

  test('opens a user that the server finds', async () => {
    const user = { kind: 'user', label: 'user ID u_1', appId: 'a', filters: null, userSid: 's1' };
    const answer = { readings: [], found: [user], skipsSearchedFrom: null };
    const { router } = open({ 'GET /api/find': answer });
    await userEvent.keyboard('u_1');
    await screen.findByRole('option', { name: /user ID u_1/ }, patience);
    await userEvent.keyboard('{Enter}');
    expect(router.state.location.pathname).toBe('/apps/a/users/s1');
  });

  test('says that it searches, and why it found nothing', async () => {
    const { input } = open();
    fireEvent.change(input, { target: { value: 'u_1' } });
    expect(screen.getByText('Searching…')).toBeTruthy();
    cleanup();
    const api = createTestApi({});
    const problem = { code: 'unreachable', error: 'The server does not answer.' };
    api.call.mockImplementation(() => Promise.resolve({ problem }) as never);
    renderPart(<JumpDialog onClose={onClose} onHelp={() => undefined} />, api);
    fireEvent.change(screen.getByRole('combobox'), { target: { value: 'u_1' } });
    expect(await screen.findByText(problem.error, {}, patience)).toBeTruthy();
    expect(screen.queryByText('No results.')).toBeNull();
  });

  test('searches once after several key presses, and another text aborts the search', async () => {
    const { input, listSearches } = open();
    fireEvent.change(input, { target: { value: 'shi' } });
    fireEvent.change(input, { target: { value: 'ship' } });
    await waitFor(() => expect(listSearches()).toHaveLength(1), patience);
    const [[, searched, signal] = []] = listSearches();
    expect(searched).toEqual({ query: { text: 'ship', app: 'a' } });
    expect(signal?.aborted).toBe(false);
    await act(async () => void fireEvent.change(input, { target: { value: 'ship-8' } }));
    expect(signal?.aborted).toBe(true);
    await waitFor(() => expect(listSearches()).toHaveLength(2), patience);
    const [, [, , nextSignal] = []] = listSearches();
    expect(nextSignal?.aborted).toBe(false);
    cleanup();
    expect(nextSignal?.aborted).toBe(true);
  });
});
