import { act, cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import type { Definition, EventAnswer, VersionAnswer } from '../../api/events';
import type { PublishProblem } from '../../api/problem';
import type { Result } from '../api';
import { createTestApi, renderPart } from '../render-part.fixture';
import { GoLiveDialog, type GoLiveProps } from './go-live-dialog';

afterEach(cleanup);

const draft = { savedAt: 0, savedBy: 'Ben' };
const live = { id: 'version-3', number: 3, createdAt: 0, createdBy: 'Vera' } as VersionAnswer;
const published = { id: 'event-1', live, draft } as EventAnswer;
const read = { event: published, definition: {} as Definition };
const newer = { ...live, id: 'version-4', number: 4 };
const changes = [
  [{ event: { ...published, live: newer } }, /^Vera published v4 at /],
  [{ definition: { missing: 'reject' } as Definition }, /^Ben saved another draft at /],
] as const;
const error: PublishProblem = { severity: 'error', problem: 'The event has no channel.' };

type Change = Partial<typeof read>;
type Reader = { readAgain: (change: Change) => void };
type On = Pick<GoLiveProps, 'send' | 'onDone' | 'onReload' | 'onClose'>;

/** The page behind the dialog, which reads the event again. */
function Page({ reader, ...props }: On & { reader: Reader; problems: PublishProblem[] }) {
  const [current, setCurrent] = useState(read);
  reader.readAgain = (change) => act(() => setCurrent({ ...current, ...change }));
  return (
    <GoLiveDialog {...props} {...current} title="Publish order" action="Publish" noteHint="Reason.">
      {(seen) => `Reviewed: ${seen.definition.missing ?? 'empty'}, v${seen.live?.number}`}
    </GoLiveDialog>
  );
}

/** A dialog that has been compared with calls, unless a problem is known. */
async function open(results: Result<EventAnswer | undefined>[], problems: PublishProblem[] = []) {
  const on = {
    send: jest.fn(async (..._seen: unknown[]) => results.shift() ?? { value: published }),
    onDone: jest.fn(),
    onReload: jest.fn<Promise<void>, []>(async () => undefined),
    onClose: jest.fn(),
  };
  const reader: Reader = { readAgain: () => undefined };
  renderPart(
    <Page reader={reader} problems={problems} {...on} />,
    createTestApi({ 'POST /api/apps/:appId/events/:eventId/variables': { isSensitive: true } }),
  );
  if (problems.length === 0) await screen.findByText(/^Sensitive event/);
  return {
    user: userEvent.setup(),
    ...on,
    readAgain: (change: Change) => reader.readAgain(change),
  };
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
    expect(send).toHaveBeenCalledWith('New texts', live);
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

  test.each(changes)(
    'is what the operator reviewed: a change (%#) is named, and not shown until they ask',
    async (change, title) => {
      const { user, readAgain, send } = await open([]);
      readAgain(change);
      screen.getByText(title);
      screen.getByText('Reviewed: empty, v3');
      expect(getButton().disabled).toBe(true);
      await user.click(screen.getByText('Show the change'));
      expect(screen.queryByText(title)).toBeNull();
      const { event, definition } = { ...read, ...change };
      await screen.findByText(`Reviewed: ${definition.missing ?? 'empty'}, v${event.live?.number}`);
      await screen.findByText(/^Sensitive event/);
      await user.click(getButton());
      expect(send).toHaveBeenCalledWith('', event.live);
    },
  );

  test('stays what it was if only the same event is read again', async () => {
    const { readAgain } = await open([]);
    readAgain({ event: { ...published, live: { ...live } } });
    expect(getButton().disabled).toBe(false);
  });

  test('is read again if the server found a change that the page has not read', async () => {
    const conflict = { code: 'live_changed', error: 'Vera published v4.' } as const;
    const { user, onReload, onDone, readAgain } = await open([{ problem: conflict }]);
    onReload.mockImplementation(async () => readAgain(changes[0][0]));
    await user.click(getButton());
    const showChange = await screen.findByText('Show the change');
    expect(onReload).toHaveBeenCalledTimes(1);
    expect(screen.queryByText('Vera published v4.')).toBeNull();
    await user.click(showChange);
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
