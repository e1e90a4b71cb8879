import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { listSchemaFields } from './schema-fields';
import { DraftField } from './schema-form';

afterEach(cleanup);

const fields = listSchemaFields({
  properties: {
    attempts: { type: 'integer', title: 'Attempts', minimum: 1, maximum: 50 },
    data: { type: 'object', title: 'Data' },
    cc: { type: 'array', title: 'Copies', items: { type: 'string' } },
    link: { type: 'string', title: 'Link' },
  },
});

function Draft({
  path,
  initial,
  onChange,
}: {
  path: string;
  initial: unknown;
  onChange: (value: unknown) => void;
}) {
  const [value, setValue] = useState(initial);
  const field = fields.find((one) => one.path === path);
  if (!field) throw new Error(`No field ${path}`);
  function change(next: unknown) {
    onChange(next);
    setValue(next);
  }
  return (
    <>
      <DraftField field={field} value={value} onChange={change} />
      <button type="button" onClick={() => setValue(7)}>
        Take theirs
      </button>
    </>
  );
}

function open(path: string, initial: unknown) {
  const values: unknown[] = [];
  render(<Draft path={path} initial={initial} onChange={(value) => values.push(value)} />);
  return { user: userEvent.setup(), values };
}

const getInput = (label: string) => screen.getByLabelText<HTMLInputElement>(label);

describe('a field of a draft', () => {
  test('keeps the last right number while a wrong one is typed, and names the problem', async () => {
    const { user, values } = open('attempts', 3);
    await user.clear(getInput('Attempts'));
    await user.type(getInput('Attempts'), '99');
    expect(getInput('Attempts').value).toBe('99');
    expect(screen.getByText('Attempts must be at most 50.')).toBeTruthy();
    expect(values).toEqual([undefined, 9]);
  });

  test('keeps the last right JSON while it is typed', async () => {
    const { user, values } = open('data', { a: 1 });
    await user.clear(getInput('Data'));
    await user.type(getInput('Data'), '{{"b": 2');
    expect(screen.getByText('Data must be valid JSON.')).toBeTruthy();
    await user.type(getInput('Data'), '}');
    expect(screen.queryByText('Data must be valid JSON.')).toBeNull();
    expect(values.at(-1)).toEqual({ b: 2 });
    expect(getInput('Data').value).toBe('{"b": 2}');
  });

  test('keeps an unfinished line', async () => {
    const { user, values } = open('cc', ['a']);
    await user.type(getInput('Copies'), '{Enter}b');
    expect(getInput('Copies').value).toBe('a\nb');
    expect(values.at(-1)).toEqual(['a', 'b']);
  });

  test('follows a draft that changed elsewhere', async () => {
    const { user } = open('attempts', 3);
    await user.type(getInput('Attempts'), '1');
    expect(getInput('Attempts').value).toBe('31');
    await user.click(screen.getByText('Take theirs'));
    expect(getInput('Attempts').value).toBe('7');
  });

  test('removes an empty text', async () => {
    const { user, values } = open('link', 'a');
    await user.clear(getInput('Link'));
    expect(values).toEqual([undefined]);
  });
});
