import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { PageProblem, Result } from '../api';
import { Button } from './controls';
import { CheckField, ErrorCount, Form, TextField } from './form';
import { useForm } from './use-form';

afterEach(cleanup);

type Values = { name: string; settings: { host: string }; password: string; isOpen: boolean };
const values: Values = { name: '', settings: { host: '' }, password: '', isOpen: false };

function TestForm({
  send,
  onDone = () => undefined,
}: {
  send: (sent: Values) => Promise<Result<string>>;
  onDone?: (answer: string) => void;
}) {
  const form = useForm(values);
  return (
    <Form form={form} onSubmit={form.submit(send, onDone)}>
      <TextField name="name" label="Name" required maxLength={5} />
      <TextField name="settings.host" label="Host" required="Enter a host name." />
      <TextField name="password" label="API secret" type="password" />
      <CheckField name="isOpen" label="Open" hint="For everyone." />
      <ErrorCount />
      <Button type="submit">Save</Button>
    </Form>
  );
}

const refuse = (problem: PageProblem) => jest.fn(async () => ({ problem }));
const accept = () => jest.fn(async (_sent: Values) => ({ value: 'saved' }));
const getError = (label: string) => {
  const id = screen.getByLabelText(label).getAttribute('aria-describedby');
  return id && document.getElementById(id)?.textContent;
};

async function fillIn(send: Parameters<typeof TestForm>[0]['send']) {
  const user = userEvent.setup();
  render(<TestForm send={send} />);
  await user.type(screen.getByLabelText('Name'), 'mail');
  await user.type(screen.getByLabelText('Host'), 'a.example');
  await user.click(screen.getByText('Save'));
  return user;
}

function ChangeForm({ onSent }: { onSent: (changed: unknown) => void }) {
  const form = useForm({ name: 'mail', isOpen: false });
  const send = async (sent: { name: string; isOpen: boolean }) => {
    onSent(form.pickChanged(sent));
    return { value: '' };
  };
  return (
    <Form form={form} onSubmit={form.submit(send, () => undefined)}>
      <TextField name="name" label="Name" />
      <CheckField name="isOpen" label="Open" />
      <Button type="submit">Save</Button>
    </Form>
  );
}

test('a form knows which values were changed', async () => {
  const user = userEvent.setup();
  const changes: unknown[] = [];
  render(<ChangeForm onSent={(changed) => changes.push(changed)} />);
  await user.click(screen.getByText('Save'));
  await user.click(screen.getByLabelText('Open'));
  await user.type(screen.getByLabelText('Name'), 's{Backspace}');
  await user.click(screen.getByText('Save'));
  expect(changes).toEqual([{}, { isOpen: true }]);
});

describe('a form', () => {
  test('names each wrong field, counts them, focuses the first and sends nothing', async () => {
    const send = accept();
    const user = userEvent.setup();
    render(<TestForm send={send} />);
    await user.click(screen.getByText('Save'));
    expect(getError('Name')).toBe('Enter the name.');
    expect(getError('Host')).toBe('Enter a host name.');
    expect(screen.getByRole('status').textContent).toBe('2 fields to correct: Name, Host');
    expect(document.querySelectorAll('[aria-invalid="true"]')).toHaveLength(2);
    expect(document.activeElement).toBe(screen.getByLabelText('Name'));
    expect(send).not.toHaveBeenCalled();
  });

  test('counts wrong fields while there are several; one says its own error only', async () => {
    const user = userEvent.setup();
    render(<TestForm send={accept()} />);
    await user.click(screen.getByText('Save'));
    await user.type(screen.getByLabelText('Name'), 'mail');
    expect(getError('Host')).toBe('Enter a host name.');
    expect(screen.queryByRole('status')).toBeNull();
    await user.type(screen.getByLabelText('Name'), ' server');
    expect(getError('Name')).toBe('Name must have at most 5 characters (11 now).');
    expect(screen.getByRole('status').textContent).toBe('2 fields to correct: Name, Host');
  });
});

describe('an unsubmitted form', () => {
  test('shows no error', async () => {
    const user = userEvent.setup();
    render(<TestForm send={accept()} />);
    await user.click(screen.getByLabelText('Name'));
    await user.click(screen.getByLabelText('Host'));
    expect(document.querySelectorAll('[aria-invalid="true"]')).toHaveLength(0);
  });

  test('turns the bubbles of the browser off', () => {
    const { container } = render(<TestForm send={accept()} />);
    expect(container.querySelector('form')?.noValidate).toBe(true);
    expect(container.querySelectorAll('[required]')).toHaveLength(0);
  });
});

describe('a right form', () => {
  test('sends its values once, however often it is submitted', async () => {
    let finish: (result: Result<string>) => void = () => undefined;
    const send = jest.fn(
      () =>
        new Promise<Result<string>>((resolve) => {
          finish = resolve;
        }),
    );
    const onDone = jest.fn();
    const user = userEvent.setup();
    render(<TestForm send={send} onDone={onDone} />);
    await user.type(screen.getByLabelText('Name'), 'mail');
    await user.type(screen.getByLabelText('Host'), 'a.example');
    await user.click(screen.getByLabelText('Open'));
    await user.dblClick(screen.getByText('Save'));
    await user.keyboard('{Enter}');
    expect(send.mock.calls).toEqual([
      [{ name: 'mail', settings: { host: 'a.example' }, password: '', isOpen: true }],
    ]);
    finish({ value: 'saved' });
    await screen.findByText('Save');
    expect(onDone.mock.calls).toEqual([['saved']]);
  });
});

describe('a refusal of the server', () => {
  const code = 'invalid' as const;

  test('is shown beside the field that it names, with its label instead of the path', async () => {
    const fields = [
      { path: 'settings.host', problem: 'must be a host name' },
      { path: 'settings.host', problem: 'is too short' },
      { path: 'password', problem: 'is wrong' },
    ];
    await fillIn(refuse({ code, error: 'settings.host must be a host name', fields }));
    expect(getError('Host')).toBe('Host must be a host name.');
    expect(getError('API secret')).toBe('API secret is wrong.');
    expect(document.activeElement).toBe(screen.getByLabelText('Host'));
    expect(screen.getByRole('status').textContent).toBe('2 fields to correct: Host, API secret');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test.each([
    ['the object of a field is missing', 'settings', 'Host is missing.'],
    ['a part of its value is wrong', 'settings.host.0', 'Host is missing.'],
  ])('reaches a field when %s', async (_case, path, text) => {
    await fillIn(refuse({ code, error: 'x', fields: [{ path, problem: 'is missing' }] }));
    expect(getError('Host')).toBe(text);
  });

  test('is shown above the form without a path when it names no field of the form', async () => {
    const fields = [{ path: 'settings.baseUrl', problem: 'must use https' }];
    await fillIn(refuse({ code, error: 'settings.baseUrl must use https', fields }));
    expect(screen.getByRole('alert').textContent).toBe('Base url must use https.');
    expect(screen.queryByRole('status')).toBeNull();
  });

  test('goes away when the field is corrected, and does not prevent the next try', async () => {
    const fields = [{ path: 'name', problem: 'is taken' }];
    const send = jest
      .fn<Promise<Result<string>>, [Values]>()
      .mockResolvedValueOnce({ problem: { code: 'name_taken', error: 'Taken.', fields } })
      .mockResolvedValueOnce({ problem: { code: 'unavailable', error: 'Not now.' } })
      .mockResolvedValue({ value: 'saved' });
    const user = await fillIn(send);
    expect(getError('Name')).toBe('Name is taken.');
    await user.type(screen.getByLabelText('Name'), '2');
    expect(getError('Name')).toBeNull();
    await user.click(screen.getByText('Save'));
    expect(screen.getByRole('alert').textContent).toBe('Not now.');
    await user.click(screen.getByText('Save'));
    expect(screen.queryByRole('alert')).toBeNull();
    expect(send).toHaveBeenCalledTimes(3);
  });
});

describe('a secret', () => {
  test('is hidden until the operator shows it', async () => {
    const user = userEvent.setup();
    render(<TestForm send={accept()} />);
    const input = screen.getByLabelText<HTMLInputElement>('API secret');
    expect(input.type).toBe('password');
    await user.click(screen.getByRole('button', { name: 'Show API secret' }));
    expect(input.type).toBe('text');
    await user.click(screen.getByRole('button', { name: 'Hide API secret' }));
    expect(input.type).toBe('password');
  });
});
