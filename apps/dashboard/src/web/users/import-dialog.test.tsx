import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { createTestApi, renderPart } from '../render-part.fixture';
import { ImportDialog } from './import-dialog';

afterEach(cleanup);

const checkRoute = 'POST /api/apps/:appId/suppressions/import/check';
const importRoute = 'POST /api/apps/:appId/suppressions/import';

/** jsdom has no File.arrayBuffer. */
function createFile(bytes: Uint8Array): File {
  const file = new File([Uint8Array.from(bytes)], 'list.csv', { type: 'text/csv' });
  return Object.assign(file, { arrayBuffer: async () => bytes });
}

function open(counts: object) {
  const api = createTestApi({ [checkRoute]: counts, [importRoute]: counts });
  const ended: string[] = [];
  renderPart(
    <ImportDialog
      onClose={() => ended.push('closed')}
      onDone={async () => void ended.push('done')}
    />,
    api,
  );
  const choose = (bytes: Uint8Array) =>
    fireEvent.change(screen.getByLabelText('CSV file'), { target: { files: [createFile(bytes)] } });
  return { api, ended, choose };
}

const csv = 'channel,address\nemail,a@example.com\n';
const bytes = new TextEncoder().encode(csv);

test('a file is checked first, and imported only by the button that says what it changes', async () => {
  const { api, ended, choose } = open({ added: 1, widened: 2, unchanged: 1_300 });
  choose(bytes);
  const button = await screen.findByRole('button', { name: 'Import 3 addresses' });
  expect(api.call.mock.calls.map(([route]) => route)).toEqual([checkRoute]);
  expect(
    screen.getByText(/^suppress 1 more address; suppress 2 addresses for all messages/).textContent,
  ).toBe(
    'suppress 1 more address; suppress 2 addresses for all messages instead of optional events; leave 1,300 addresses unchanged.',
  );
  fireEvent.click(button);
  await waitFor(() => expect(ended).toEqual(['closed', 'done']));
  expect(api.call).toHaveBeenLastCalledWith(importRoute, { appId: 'a', body: { csv } });
});

test('a file that changes nothing cannot be imported', async () => {
  const { choose } = open({ added: 0, widened: 0, unchanged: 1 });
  choose(bytes);
  expect(await screen.findByText('1 address is already suppressed.')).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Import' }).disabled).toBe(true);
});

test.each([
  ['is not UTF-8', Uint8Array.of(0x61, 0xff), 'The file is not UTF-8. Save it as “CSV UTF-8”.'],
  [
    'is too large',
    new Uint8Array(1_000_001),
    'The file has more than 1 MB. Split it into several files.',
  ],
])('a file that %s is refused and not sent', async (_what, content, problem) => {
  const { api, choose } = open({});
  choose(content);
  expect(await screen.findByText(problem)).toBeTruthy();
  expect(api.call).not.toHaveBeenCalled();
});
