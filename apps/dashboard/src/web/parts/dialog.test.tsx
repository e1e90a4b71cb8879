import { act, cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useEffect, useState } from 'react';
import { Dialog } from './dialog';

afterEach(cleanup);

/** The button that opens the dialog, after the dialog was closed. */
type After = 'same' | 'disabled' | 'gone';

function Opener({ after, children }: { after: After; children: React.ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const [isClosed, setClosed] = useState(false);
  function close() {
    setOpen(false);
    setClosed(true);
  }
  return (
    <>
      <button type="button">Before</button>
      {!(isClosed && after === 'gone') && (
        <span>
          <button
            type="button"
            disabled={isClosed && after === 'disabled'}
            onClick={() => setOpen(true)}
          >
            Open
          </button>
        </span>
      )}
      {isOpen && (
        <Dialog title="Rename" onClose={close}>
          {children}
        </Dialog>
      )}
    </>
  );
}

/** Shows a button at once, and an input when its content is loaded. */
function Loading({ until }: { until: Promise<void> }) {
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    void until.then(() => setLoaded(true));
  }, [until]);
  return (
    <>
      <button type="button">Other</button>
      {isLoaded && <input aria-label="Name" />}
    </>
  );
}

/** Radix moves the focus in a timer. */
const settle = () => act(() => new Promise((resolve) => setTimeout(resolve, 10)));

async function open(children: React.ReactNode, after: After = 'same') {
  const user = userEvent.setup();
  render(<Opener after={after}>{children}</Opener>);
  await user.click(screen.getByText('Open'));
  return user;
}

describe('a dialog', () => {
  test('focuses its first input, not the Close button', async () => {
    await open(<input aria-label="Name" />);
    expect(document.activeElement).toBe(screen.getByLabelText('Name'));
  });

  test('skips inputs that cannot be changed', async () => {
    await open(
      <>
        <input aria-label="ID" readOnly />
        <select aria-label="Role" />
      </>,
    );
    expect(document.activeElement).toBe(screen.getByLabelText('Role'));
  });

  test.each([
    { has: 'gets the focus', moves: false },
    { has: 'leaves the focus where the operator moved it', moves: true },
  ])('an input that is loaded later $has', async ({ moves }) => {
    let load = () => undefined as unknown;
    const loaded = new Promise<void>((resolve) => {
      load = resolve;
    });
    const user = await open(<Loading until={loaded} />);
    expect(document.activeElement).toBe(screen.getByLabelText('Close'));
    if (moves) await user.keyboard('{Tab}');
    await act(async () => load());
    const target = moves ? screen.getByText('Other') : screen.getByLabelText('Name');
    await settle();
    expect(document.activeElement).toBe(target);
  });

  test('returns the focus to what opened it when it closes', async () => {
    const user = await open(<input aria-label="Name" />);
    await user.keyboard('{Escape}');
    await settle();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(document.activeElement).toBe(screen.getByText('Open'));
  });

  test.each(['disabled', 'gone'] as const)(
    'returns the focus to the control before what opened it, if that is %s',
    async (after) => {
      const user = await open(<input aria-label="Name" />, after);
      await user.keyboard('{Escape}');
      await settle();
      expect(document.activeElement).toBe(screen.getByText('Before'));
    },
  );

  test('has its title as name', async () => {
    await open(<input aria-label="Name" />);
    expect(screen.getByRole('dialog', { name: 'Rename' })).toBeTruthy();
  });
});
