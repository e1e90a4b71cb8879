import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { createApi, type PageProblem } from '../api';
import { ExportButton } from './export-button';

afterEach(cleanup);

/** Exports with this answer of the server. Returns what the page shows and saves. */
async function exportFile(response: () => Promise<unknown>) {
  const problems: (PageProblem | undefined)[] = [];
  const saved: string[] = [];
  URL.createObjectURL = () => 'blob:file';
  URL.revokeObjectURL = () => undefined;
  jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
    this: HTMLAnchorElement,
  ) {
    saved.push(this.download);
  });
  const api = createApi({
    root: new URL('http://127.0.0.1/'),
    fetch: (() => response()) as unknown as typeof fetch,
    onSignedOut: () => undefined,
  });
  render(
    <ExportButton
      name="belfry-r.csv"
      read={() => api.download('GET /api/apps/:appId/suppressions.csv', { appId: 'a' })}
      onProblem={(problem) => problems.push(problem)}
    />,
  );
  const button = screen.getByRole('button');
  fireEvent.click(button);
  expect(button.textContent).toBe('Exporting…');
  await waitFor(() => expect(button.textContent).toBe('Export CSV (times in UTC)'));
  return { problem: problems.at(-1), saved };
}

test('an export saves the file of the server', async () => {
  const file = { ok: true, blob: async () => 'item' };
  expect(await exportFile(async () => file)).toEqual({
    problem: undefined,
    saved: ['belfry-r.csv'],
  });
});

test('a refused export shows why, and saves nothing', async () => {
  const problem = {
    code: 'unavailable',
    error: 'Another export of yours is running. Wait until it ends.',
  };
  const refusal = { ok: false, headers: new Map(), json: async () => problem };
  expect(await exportFile(async () => refusal)).toMatchObject({ problem, saved: [] });
});

test('an export that is cut off saves nothing, and says so', async () => {
  const cut = { ok: true, blob: () => Promise.reject(new TypeError('network error')) };
  const error = expect.stringMatching(/^The file was cut off/);
  expect(await exportFile(async () => cut)).toMatchObject({ problem: { error }, saved: [] });
});
