import { act, cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, Link, RouterProvider } from 'react-router';
import { Button } from './controls';
import { Form, TextField } from './form';
import { FormDialog } from './form-dialog';
import { LeaveGuards } from './leave-guards';
import { UnsavedGuard } from './unsaved';
import { useForm } from './use-form';

afterEach(cleanup);

function Page() {
  const form = useForm({ host: 'old', port: '25' });
  const save = form.submit(
    async () => ({ value: 'saved' }),
    () => router.navigate('/other'),
  );
  return (
    <Form form={form} onSubmit={save}>
      <TextField name="host" label="Host" />
      <TextField name="port" label="Port" />
      <Button type="submit">Save</Button>
      <UnsavedGuard unsaved={form} what="smtp-main" />
    </Form>
  );
}

let router: ReturnType<typeof createMemoryRouter>;

function open() {
  router = createMemoryRouter([
    {
      path: '/',
      element: (
        <LeaveGuards>
          <Page />
          <Link to="/other">Leave</Link>
          <Link to="/?tab=2">Tab</Link>
        </LeaveGuards>
      ),
    },
    { path: '/other', element: <h1>Other page</h1> },
  ]);
  render(<RouterProvider router={router} />);
  return userEvent.setup();
}

const isStopped = () => {
  const event = new Event('beforeunload', { cancelable: true });
  window.dispatchEvent(event);
  return event.defaultPrevented;
};

describe('unsaved changes', () => {
  test('are named when the operator leaves the page, and kept if wanted', async () => {
    const user = open();
    await user.type(screen.getByLabelText('Port'), '1');
    await user.click(screen.getByText('Leave'));
    const dialog = screen.getByRole('dialog', { name: 'Discard the changes to smtp-main?' });
    expect(dialog.textContent).toContain('Not saved: Port.');
    await user.click(screen.getByText('Keep editing'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByLabelText<HTMLInputElement>('Port').value).toBe('251');
    expect(isStopped()).toBe(true);
  });

  test('are lost only after the operator says so', async () => {
    const user = open();
    await user.type(screen.getByLabelText('Host'), 'er');
    await user.click(screen.getByText('Leave'));
    expect(screen.queryByText('Other page')).toBeNull();
    await user.click(screen.getByText('Discard changes'));
    expect(await screen.findByText('Other page')).toBeTruthy();
    expect(isStopped()).toBe(false);
  });

  test('do not exist before a change, or once it is taken back', async () => {
    const user = open();
    expect(isStopped()).toBe(false);
    await user.type(screen.getByLabelText('Host'), 'x{Backspace}');
    expect(isStopped()).toBe(false);
    await user.click(screen.getByText('Leave'));
    expect(await screen.findByText('Other page')).toBeTruthy();
  });

  test('do not stop a change of the query', async () => {
    const user = open();
    await user.type(screen.getByLabelText('Host'), 'x');
    await user.click(screen.getByText('Tab'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(router.state.location.search).toBe('?tab=2');
  });

  test('do not stop the form itself from leaving when they are saved', async () => {
    const user = open();
    await user.type(screen.getByLabelText('Host'), 'x');
    await user.click(screen.getByText('Save'));
    expect(await screen.findByText('Other page')).toBeTruthy();
  });
});

const onClose = jest.fn();

function TestDialog({ leastChanges }: { leastChanges: number }) {
  const form = useForm({ address: '', reason: '' });
  return (
    <FormDialog
      title="Suppress address"
      form={form}
      onSubmit={form.submit(async () => ({ value: 1 }), onClose)}
      onClose={onClose}
      action="Suppress"
      unsaved="the suppression"
      leastChanges={leastChanges}
    >
      <TextField name="address" label="Address" />
      <TextField name="reason" label="Reason" />
    </FormDialog>
  );
}

describe('a dialog', () => {
  beforeEach(() => onClose.mockClear());

  async function openDialog(leastChanges: number) {
    router = createMemoryRouter([
      {
        path: '/',
        element: (
          <LeaveGuards>
            <TestDialog leastChanges={leastChanges} />
          </LeaveGuards>
        ),
      },
    ]);
    render(<RouterProvider router={router} />);
    // Radix moves the focus in a timer.
    await act(() => new Promise((resolve) => setTimeout(resolve, 10)));
    return userEvent.setup();
  }

  test('asks before it closes with a half-filled form', async () => {
    const user = await openDialog(2);
    await user.type(screen.getByLabelText('Address'), 'a@example.com');
    await user.type(screen.getByLabelText('Reason'), 'by phone');
    await user.keyboard('{Escape}');
    expect(onClose).not.toHaveBeenCalled();
    expect(screen.getByText('Not saved: Address, Reason.')).toBeTruthy();
    await user.click(screen.getByText('Discard changes'));
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  test('closes at once when little or nothing was entered', async () => {
    const user = await openDialog(2);
    await user.type(screen.getByLabelText('Reason'), 'x');
    await user.click(screen.getByText('Cancel'));
    expect(onClose).toHaveBeenCalledTimes(1);
  });
});
