import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { createMemoryRouter, Link, RouterProvider } from 'react-router';
import { type Session, SessionContext } from '../context';
import { LeaveGuards } from '../parts/leave-guards';
import { UnsavedGuard } from '../parts/unsaved';
import { DraftGuard } from './draft-guard';
import type { Draft } from './use-draft';

afterEach(cleanup);

type Options = {
  isDirty?: boolean;
  mayChange?: boolean;
  saved?: object | null;
  inDialog?: ReactNode;
};

function open({ isDirty = true, mayChange = true, saved = {}, inDialog }: Options = {}) {
  const save = jest.fn(async () => saved);
  // The guard reads only these parts.
  const draft = { isDirty, save } as unknown as Draft;
  const session = { mayChange } as Session;
  const router = createMemoryRouter([
    {
      path: '/',
      element: (
        <SessionContext value={session}>
          <LeaveGuards>
            <DraftGuard draft={draft} name="order_shipped" />
            {inDialog}
          </LeaveGuards>
          <Link to="/other">Leave</Link>
        </SessionContext>
      ),
    },
    { path: '/other', element: <h1>Other page</h1> },
  ]);
  render(<RouterProvider router={router} />);
  return { user: userEvent.setup(), save };
}

/** A form in a dialog over the editor. */
function Dialog({ isUnsaved }: { isUnsaved: boolean }) {
  const unsaved = { isUnsaved: () => isUnsaved, listChanged: () => ['Name'] };
  return <UnsavedGuard unsaved={unsaved} what="the category" />;
}

describe('an operator who leaves the editor', () => {
  test('loses nothing: the draft is saved first', async () => {
    const { user, save } = open();
    await user.click(screen.getByText('Leave'));
    expect(await screen.findByText('Other page')).toBeTruthy();
    expect(save).toHaveBeenCalledTimes(1);
  });

  test('is asked when the draft cannot be saved', async () => {
    const { user } = open({ saved: null });
    await user.click(screen.getByText('Leave'));
    await screen.findByRole('dialog', { name: /draft of order_shipped/ });
    await user.click(screen.getByText('Keep editing'));
    expect(screen.queryByText('Other page')).toBeNull();
    await user.click(screen.getByText('Leave'));
    await user.click(await screen.findByText('Discard changes'));
    expect(await screen.findByText('Other page')).toBeTruthy();
  });

  test('keeps the draft behind a dialog without changes', async () => {
    const { user, save } = open({ inDialog: <Dialog isUnsaved={false} /> });
    await user.click(screen.getByText('Leave'));
    expect(await screen.findByText('Other page')).toBeTruthy();
    expect(save).toHaveBeenCalledTimes(1);
  });

  test('is asked about a dialog first; then the draft is saved', async () => {
    const { user, save } = open({ inDialog: <Dialog isUnsaved /> });
    await user.click(screen.getByText('Leave'));
    const dialog = await screen.findByRole('dialog', { name: /the category/ });
    expect(save).not.toHaveBeenCalled();
    await user.click(screen.getByText('Keep editing'));
    expect(dialog.isConnected).toBe(false);
    await user.click(screen.getByText('Leave'));
    await user.click(await screen.findByText('Discard changes'));
    expect(await screen.findByText('Other page')).toBeTruthy();
    expect(save).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['the draft is saved', { isDirty: false }],
    ['a viewer tried something', { mayChange: false }],
  ])('goes at once when %s', async (_case, options) => {
    const { user, save } = open(options);
    await user.click(screen.getByText('Leave'));
    expect(await screen.findByText('Other page')).toBeTruthy();
    expect(save).not.toHaveBeenCalled();
  });
});
