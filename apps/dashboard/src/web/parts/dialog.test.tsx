import { act, cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { Dialog } from './dialog';

afterEach(cleanup);

function Opener({ children }: { children: React.ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      {isOpen && (
        <Dialog title="Rename" onClose={() => setOpen(false)}>
          {children}
        </Dialog>
      )}
    </>
  );
}

/** Radix moves the focus in a timer. */
const settle = () => act(() => new Promise((resolve) => setTimeout(resolve, 10)));

async function open(children: React.ReactNode) {
  const user = userEvent.setup();
  render(<Opener>{children}</Opener>);
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

  test('returns the focus to what opened it when it closes', async () => {
    const user = await open(<input aria-label="Name" />);
    await user.keyboard('{Escape}');
    await settle();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(document.activeElement).toBe(screen.getByText('Open'));
  });

  test('has its title as name', async () => {
    await open(<input aria-label="Name" />);
    expect(screen.getByRole('dialog', { name: 'Rename' })).toBeTruthy();
  });
});
