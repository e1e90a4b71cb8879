import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type Column, Table } from './table';

type Event = { id: string; name: string; sentAt: number | null };

const events: Event[] = [
  { id: '1', name: 'welcome', sentAt: 20 },
  { id: '2', name: 'invoice', sentAt: null },
  { id: '3', name: 'Reminder', sentAt: 10 },
];

const columns: Column<Event>[] = [
  { header: 'Name', isRowHeader: true, sortBy: ({ name }) => name, cell: ({ name }) => name },
  { header: 'Sent', sortBy: ({ sentAt }) => sentAt, cell: ({ sentAt }) => sentAt ?? 'never' },
  { header: 'Actions', isHeaderHidden: true, cell: () => <button type="button">Remove</button> },
];

const getKey = ({ id }: Event) => id;
const show = jest.fn();

beforeAll(() => {
  // jsdom does not scroll.
  Element.prototype.scrollIntoView = show;
});
afterEach(cleanup);

const readNames = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent);
const getOrder = () =>
  screen.getByRole('columnheader', { name: /^Name/ }).getAttribute('aria-sort');

describe('the order of a table', () => {
  test('is that of its rows until a column with values is sorted, and again after its third click', async () => {
    const user = userEvent.setup();
    render(<Table caption="Events" columns={columns} rows={events} getKey={getKey} />);
    const sort = () => user.click(screen.getByRole('button', { name: /^Name/ }));
    expect(readNames()).toEqual(['welcome', 'invoice', 'Reminder']);
    expect(getOrder()).toBe('none');
    await sort();
    expect(readNames()).toEqual(['invoice', 'Reminder', 'welcome']);
    expect(getOrder()).toBe('ascending');
    await sort();
    expect(readNames()).toEqual(['welcome', 'Reminder', 'invoice']);
    expect(getOrder()).toBe('descending');
    await sort();
    expect(readNames()).toEqual(['welcome', 'invoice', 'Reminder']);
  });

  test('stays when it is rendered again with new rows', async () => {
    const user = userEvent.setup();
    const renderEvents = (rows: Event[]) => (
      <Table caption="Events" columns={columns} rows={rows} getKey={getKey} />
    );
    const { rerender } = render(renderEvents(events));
    await user.click(screen.getByRole('button', { name: /^Name/ }));
    rerender(renderEvents([...events, { id: '4', name: 'alarm', sentAt: 5 }]));
    expect(readNames()).toEqual(['alarm', 'invoice', 'Reminder', 'welcome']);
  });

  test('has rows without a value last in both directions', async () => {
    const user = userEvent.setup();
    render(<Table caption="Events" columns={columns} rows={events} getKey={getKey} />);
    const sort = () => user.click(screen.getByRole('button', { name: /^Sent/ }));
    await sort();
    const first = readNames();
    await sort();
    expect([first.at(-1), readNames().at(-1)]).toEqual(['invoice', 'invoice']);
    expect(readNames().slice(0, 2)).toEqual(first.slice(0, 2).reverse());
  });
});

describe('a table', () => {
  test('has a caption, and no sort button in a column without values', () => {
    render(<Table caption="Events" columns={columns} rows={events} getKey={getKey} />);
    expect(screen.getByRole('table', { name: 'Events' })).toBeTruthy();
    const actions = screen.getByRole('columnheader', { name: 'Actions' });
    expect(actions.querySelector('button')).toBeNull();
    expect(actions.hasAttribute('aria-sort')).toBe(false);
  });

  test('marks the open row and scrolls to it', () => {
    render(
      <Table caption="Events" columns={columns} rows={events} getKey={getKey} currentKey="2" />,
    );
    const current = screen.getAllByRole('row').filter((row) => row.hasAttribute('aria-current'));
    expect(current.map((row) => row.textContent)).toEqual([expect.stringContaining('invoice')]);
    expect(show.mock.contexts).toEqual(current);
  });

  test('shows a detail below its row, and a sentence if there are no rows', () => {
    const renderDetail = ({ sentAt }: Event) => sentAt === null && 'No message yet';
    const { rerender } = render(
      <Table {...{ columns, getKey, renderDetail }} caption="Events" rows={events} />,
    );
    const rows = screen.getAllByRole('row').map(({ textContent }) => textContent);
    expect(rows[3]).toBe('No message yet');
    rerender(<Table {...{ columns, getKey }} caption="Events" rows={[]} empty="No events." />);
    expect(screen.getByText('No events.')).toBeTruthy();
  });
});
