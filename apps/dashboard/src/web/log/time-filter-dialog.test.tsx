import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { TimeFilterDialog } from './time-filter-dialog';

afterEach(cleanup);

const field = (label: string) => screen.getByLabelText(label);
const enter = (label: string, value: string) =>
  fireEvent.change(field(label), { target: { value } });
const apply = () => userEvent.click(screen.getByRole('button', { name: 'Apply' }));

function openDialog() {
  const onSet = jest.fn();
  const onClose = jest.fn();
  render(<TimeFilterDialog onSet={onSet} onClose={onClose} />);
  return { onSet, onClose };
}

test('a time filter may have only an end', async () => {
  const { onSet, onClose } = openDialog();
  enter('To', '2021-01-01T00:00');
  await apply();
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  const to = String(Date.parse('2021-01-01T00:00'));
  expect(onSet).toHaveBeenCalledWith({ last: '', from: '', to });
});

test.each([
  ['', '', 'From', 'Enter a time in From, in To, or in both.'],
  ['2021-01-01T00:00', '2020-01-01T00:00', 'To', 'To must be after From.'],
  ['1969-01-01T00:00', '', 'From', 'From must be between the years 1970 and 9999.'],
])('a time filter from “%s” to “%s” names the problem and focuses %s', async (...row) => {
  const [from, to, label, problem] = row;
  const { onSet } = openDialog();
  enter('From', from);
  enter('To', to);
  await apply();
  await screen.findByText(problem);
  expect(document.activeElement).toBe(field(label));
  expect(onSet).not.toHaveBeenCalled();
});

test('a corrected field has no problem any more', async () => {
  openDialog();
  enter('From', '2021-01-01T00:00');
  enter('To', '2020-01-01T00:00');
  await apply();
  await screen.findByText('To must be after From.');
  enter('To', '2022-01-01T00:00');
  await waitFor(() => expect(screen.queryByText('To must be after From.')).toBeNull());
});
