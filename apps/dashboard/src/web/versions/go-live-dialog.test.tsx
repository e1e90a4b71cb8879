import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { Definition, EventAnswer } from '../../api/events';
import type { PublishProblem } from '../../api/problem';
import type { Result } from '../api';
import { createTestApi, renderPart } from '../render-part.fixture';
import { GoLiveDialog } from './go-live-dialog';

afterEach(cleanup);

const published = { id: 'event-1' } as EventAnswer;
const error: PublishProblem = { severity: 'error', problem: 'The event has no channel.' };

/** A dialog that has been compared with calls, unless a problem is known. */
async function open(results: Result<EventAnswer | undefined>[], problems: PublishProblem[] = []) {
  const on = {
    send: jest.fn(async (_note: string) => results.shift() ?? { value: published }),
    onDone: jest.fn(),
    onReload: jest.fn(async () => undefined),
    onClose: jest.fn(),
  };
  renderPart(
    <GoLiveDialog
      {...on}
      event={published}
      definition={{} as Definition}
      title="Publish order"
      action="Publish"
      noteHint="Reason."
      problems={problems}
    >
      <p>The changes</p>
    </GoLiveDialog>,
    createTestApi({ 'POST /api/apps/:appId/events/:eventId/variables': { isSensitive: true } }),
  );
  if (problems.length === 0) await screen.findByText(/^Sensitive event/);
  return { user: userEvent.setup(), ...on };
}

const getButton = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Publish' });

describe('a version that goes live', () => {
  test('is not compared with calls while it has an error, because not all its values are read', async () => {
    const refusal = { code: 'not_publishable', error: 'Correct it.' } as const;
    const { user } = await open([{ problem: { ...refusal, publishProblems: [error] } }]);
    await user.click(getButton());
    expect(screen.queryByText(/^Sensitive event/)).toBeNull();
  });

  test('is compared with calls before the button can be pressed, because the result moves it', async () => {
    const opening = open([]);
    expect(screen.getByText('Comparing with the last requests …')).toBeTruthy();
    expect(getButton().disabled).toBe(true);
    await opening;
    expect(getButton().disabled).toBe(false);
  });

  test('takes a note', async () => {
    const { user, send, onDone } = await open([]);
    await user.type(screen.getByLabelText('Note'), 'New texts{Enter}');
    expect(send).toHaveBeenCalledWith('New texts');
    expect(onDone).toHaveBeenCalledWith(published);
  });

  test('is refused with a note that is too long, whose problem is beside it', async () => {
    const { user, send } = await open([]);
    await user.click(screen.getByLabelText('Note'));
    await user.paste('n'.repeat(501));
    await user.click(getButton());
    const problem = screen.getByText('Note must have at most 500 characters (501 now).');
    expect(screen.getByLabelText('Note').getAttribute('aria-describedby')).toBe(problem.id);
    expect(send).not.toHaveBeenCalled();
  });

  test('waits until the operator has seen a version that went live in between', async () => {
    const conflict = { code: 'live_changed', error: 'Vera published v4.' } as const;
    const { user, onReload, onDone } = await open([{ problem: conflict }]);
    await user.click(getButton());
    expect(screen.getAllByText('Vera published v4.')).toHaveLength(1);
    expect(getButton().disabled).toBe(true);
    await user.click(screen.getByText('Show live version'));
    expect(onReload).toHaveBeenCalledTimes(1);
    await user.click(getButton());
    expect(onDone).toHaveBeenCalledWith(published);
  });

  test('has no errors, neither those that the page knows nor those that the server finds', async () => {
    const refusal = { code: 'not_publishable', error: 'Correct it.' } as const;
    const { user, onDone } = await open([{ problem: { ...refusal, publishProblems: [error] } }]);
    await user.click(getButton());
    expect(screen.getByText('The event has no channel.')).toBeTruthy();
    expect(getButton().disabled).toBe(true);
    expect(onDone).not.toHaveBeenCalled();
    cleanup();
    await open([], [error]);
    expect(screen.getByText('Correct 1 problem first.')).toBeTruthy();
    expect(getButton().disabled).toBe(true);
  });

  test('closes the dialog if the draft cannot be saved', async () => {
    const { user, onClose, onDone } = await open([{ value: undefined }]);
    await user.click(getButton());
    expect(onClose).toHaveBeenCalledTimes(1);
    expect(onDone).not.toHaveBeenCalled();
  });
});
