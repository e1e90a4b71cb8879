import { act, cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useLocation, useNavigate } from 'react-router';
import { useKeys } from '../keyboard';
import { createTestApi, renderPart } from '../render-part.fixture';
import { Link } from './controls';
import { CloseButton, PaneHeading, UnreadPane, useReturnToRow } from './pane';
import { phone } from './phone';
import { Table } from './table';

afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
});

/** The list is hidden by the style sheet, which tests do not read. */
function simulatePhone(): void {
  const { matchMedia } = globalThis;
  jest
    .spyOn(globalThis, 'matchMedia')
    .mockImplementation((query) => ({ ...matchMedia(query), matches: query === phone }));
}

const rows = [{ id: 'a' }, { id: 'b' }];

/** A list, and the pane of the row in the URL. The key x closes a pane that is not drawn yet. */
function ListDetail() {
  const navigate = useNavigate();
  const openId = useLocation().pathname.slice(1) || undefined;
  const returnToRow = useReturnToRow(openId);
  useKeys({ x: () => returnToRow('b') });
  function close() {
    returnToRow(openId);
    void navigate('/');
  }
  const cell = ({ id }: { id: string }) => <Link to={`/${id}`}>Row {id}</Link>;
  return (
    <>
      <Table
        caption="Rows"
        columns={[{ header: 'Row', cell }]}
        rows={rows}
        getKey={({ id }) => id}
      />
      {openId && (
        <section key={openId} className="pane">
          <PaneHeading>Pane {openId}</PaneHeading>
          <CloseButton label="Close" onClose={close} />
        </section>
      )}
    </>
  );
}

function LaterPane() {
  return (
    <section className="pane">
      <PaneHeading isShown={useLocation().pathname === '/shown'}>Pane a</PaneHeading>
    </section>
  );
}

const row = (id: string) => screen.getByRole('link', { name: `Row ${id}` });
const heading = (id: string) => screen.findByRole('heading', { name: `Pane ${id}` });

describe('on a phone, where a pane replaces its list', () => {
  beforeEach(simulatePhone);

  test('the focus goes to the heading of the opened pane, and back to its row', async () => {
    renderPart(<ListDetail />, createTestApi({}));
    await userEvent.click(row('b'));
    expect(document.activeElement).toBe(await heading('b'));
    await userEvent.click(screen.getByRole('button', { name: 'Close' }));
    expect(document.activeElement).toBe(row('b'));
  });

  test('the focus follows from one pane to the next', async () => {
    const router = renderPart(<ListDetail />, createTestApi({}));
    await userEvent.click(row('a'));
    await heading('a');
    await act(() => router.navigate('/b'));
    expect(document.activeElement).toBe(await heading('b'));
  });

  test('the first page of a visit does not move the focus', async () => {
    renderPart(<ListDetail />, createTestApi({}), { path: '/a' });
    await heading('a');
    expect(document.activeElement).toBe(document.body);
  });

  test('a pane that is shown later gets the focus then', async () => {
    const router = renderPart(<LaterPane />, createTestApi({}));
    const shown = await heading('a');
    expect(document.activeElement).toBe(document.body);
    await act(() => router.navigate('/shown'));
    expect(document.activeElement).toBe(shown);
  });
});

test('on a wide screen, the focus stays in the list', async () => {
  renderPart(<ListDetail />, createTestApi({}));
  await userEvent.click(row('b'));
  await heading('b');
  expect(document.activeElement).toBe(row('b'));
});

test('the focus returns to the row of a pane that was closed before it was drawn', async () => {
  renderPart(<ListDetail />, createTestApi({}));
  await userEvent.keyboard('x');
  expect(document.activeElement).toBe(row('b'));
});

test('a pane whose content cannot be read has a button that closes it', async () => {
  const onClose = jest.fn();
  const problem = { code: 'not_found', error: 'No request has this ID.' } as const;
  const loaded = { value: undefined, readAt: undefined, problem };
  const reload = async () => undefined;
  renderPart(
    <UnreadPane loaded={loaded} reload={reload} what="request" onClose={onClose} />,
    createTestApi({}),
  );
  screen.getByText(problem.error);
  await userEvent.click(screen.getByRole('button', { name: 'Close request' }));
  expect(onClose).toHaveBeenCalled();
});
