import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { PageProblem, Result } from '../api';
import { ConfirmNameDialog } from './confirm-name-dialog';
import { NameDialog } from './name-dialog';
import { PasswordDialog } from './password-dialog';
import { useForm } from './use-form';

afterEach(cleanup);

const onDone = jest.fn();
const onClose = jest.fn();
beforeEach(() => onDone.mockClear());

const getButton = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });

describe('a dialog that asks for a name', () => {
  const send = jest.fn<Promise<Result<string>>, [string, PageProblem | undefined]>();
  beforeEach(() => send.mockReset());

  function open() {
    render(
      <NameDialog
        title="Rename order_shipped"
        initial="order_shipped"
        action={(name, problem) => (problem ? `Rename to ${name} anyway` : 'Rename')}
        hint="Unique."
        maxLength={20}
        send={send}
        onDone={onDone}
        onClose={onClose}
      />,
    );
    return userEvent.setup();
  }

  test('starts with the current name, does not send an empty one, and says so once', async () => {
    const user = open();
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('order_shipped');
    await user.clear(screen.getByLabelText('Name'));
    await user.click(getButton('Rename'));
    expect(screen.getByText('Enter a name.')).toBeTruthy();
    expect(screen.queryByText(/to correct/)).toBeNull();
    expect(send).not.toHaveBeenCalled();
  });

  test('sends the problem that the operator confirms', async () => {
    const problem: PageProblem = { code: 'needs_confirmation', error: 'Callers use it.' };
    send.mockResolvedValueOnce({ problem }).mockResolvedValueOnce({ value: 'renamed' });
    const user = open();
    await user.click(getButton('Rename'));
    expect(screen.getByText('Callers use it.')).toBeTruthy();
    await user.click(getButton('Rename to order_shipped anyway'));
    expect(send.mock.calls).toEqual([
      ['order_shipped', undefined],
      ['order_shipped', problem],
    ]);
    expect(onDone).toHaveBeenCalledWith('renamed');
  });
});

test('a dialog that confirms with a name enables its button for exactly that name', async () => {
  const send = jest.fn(async (_name: string) => ({ value: 'removed' }));
  const user = userEvent.setup();
  render(
    <ConfirmNameDialog
      title="Remove Shop"
      label="App name"
      name="Shop"
      action="Remove app"
      send={send}
      onDone={onDone}
      onClose={onClose}
    >
      <p>It is deleted.</p>
    </ConfirmNameDialog>,
  );
  await user.type(screen.getByLabelText('App name'), 'shop{Enter}');
  expect(getButton('Remove app').disabled).toBe(true);
  await user.clear(screen.getByLabelText('App name'));
  await user.type(screen.getByLabelText('App name'), 'Shop{Enter}');
  expect(send.mock.calls).toEqual([['Shop']]);
  expect(onDone).toHaveBeenCalledWith('removed');
});

function ShowKey() {
  const form = useForm({ password: '' });
  const fields = [{ path: 'password', problem: 'is wrong' }];
  return (
    <PasswordDialog
      form={form}
      title="Show key"
      text="Confirm with your password."
      action="Show key"
      send={async () => ({ problem: { code: 'wrong_password', error: 'Wrong.', fields } })}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

test('a wrong password is named beside its field, which gets the focus', async () => {
  const user = userEvent.setup();
  render(<ShowKey />);
  const password = screen.getByLabelText<HTMLInputElement>('Your password');
  expect(password.type).toBe('password');
  await user.type(password, 'guess');
  await user.click(getButton('Show key'));
  expect(screen.getByText('Your password is wrong.')).toBeTruthy();
  expect(document.activeElement).toBe(password);
  expect(onDone).not.toHaveBeenCalled();
});
