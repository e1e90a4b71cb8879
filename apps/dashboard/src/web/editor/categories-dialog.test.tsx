import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { CategoryAnswer } from '../../api/categories';
import { useAnswer } from '../answers';
import { renderPart } from '../render-part.fixture';
import { CategoriesDialog } from './categories-dialog';

afterEach(cleanup);

const listRoute = 'GET /api/apps/:appId/categories';
const changeRoute = 'PATCH /api/apps/:appId/categories/:slug';

function create(slug: string, position: number): CategoryAnswer {
  const texts = { en: { name: `About ${slug}`, description: '' } };
  return { slug, position, updatedAt: 0, texts };
}

const onClose = jest.fn();

function Opened() {
  const list = useAnswer(listRoute, { appId: 'a' });
  return <CategoriesDialog list={list} locale="en" onClose={onClose} />;
}

type Input = { slug: string; body: Partial<CategoryAnswer> };

/** A server that sorts like the real one. */
async function open(categories: CategoryAnswer[]) {
  let stored = categories;
  const changes: unknown[] = [];
  const call = async (route: string, input?: unknown) => {
    if (route === changeRoute) {
      const { slug, body } = input as Input;
      changes.push([slug, body]);
      stored = stored.map((one) => (one.slug === slug ? { ...one, ...body } : one));
    }
    const sorted = stored.toSorted((a, b) => a.position - b.position || (a.slug < b.slug ? -1 : 1));
    return { value: { max: 50, categories: sorted } };
  };
  renderPart(<Opened />, { call: jest.fn(call), getUrl: (route: string) => route } as never);
  await screen.findByText('About news');
  return { changes };
}

const listed = () =>
  screen
    .getAllByRole('button', { name: /^Edit / })
    .map((button) => button.getAttribute('aria-label'));
/** The form of a new category behind an open dialog is hidden. */
const textbox = (name: string) => screen.getByRole('textbox', { name });
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });

test('a category is moved with the keyboard, and the focus follows its button', async () => {
  const { changes } = await open([create('news', 1), create('offers', 2), create('tips', 3)]);
  const keyboard = userEvent.setup();
  button('Move news down').focus();
  await keyboard.keyboard('{Enter}');
  await waitFor(() => expect(listed()).toEqual(['Edit offers', 'Edit news', 'Edit tips']));
  expect(changes).toEqual([
    ['offers', { position: 1 }],
    ['news', { position: 2 }],
  ]);
  expect(document.activeElement).toBe(button('Move news down'));
  await keyboard.keyboard('{Enter}');
  await waitFor(() => expect(listed()).toEqual(['Edit offers', 'Edit tips', 'Edit news']));
  expect(button('Move news down').disabled).toBe(true);
  await waitFor(() => expect(document.activeElement).toBe(button('Move news up')));
  expect(screen.getByText('news is number 3 of 3.')).toBeTruthy();
});

test('categories with the same position can be sorted', async () => {
  await open([create('a', 1), create('b', 1), create('news', 1)]);
  fireEvent.click(button('Move news up'));
  await waitFor(() => expect(listed()).toEqual(['Edit a', 'Edit news', 'Edit b']));
});

test('names are edited per language, and a language without a name is not saved', async () => {
  const { changes } = await open([create('news', 1)]);
  fireEvent.click(button('Edit news'));
  fireEvent.change(textbox('Name (en)'), { target: { value: 'News' } });
  fireEvent.change(textbox('Add language'), { target: { value: 'de' } });
  fireEvent.click(button('Add de'));
  fireEvent.click(button('Save'));
  expect(await screen.findByText('Enter a name.')).toBeTruthy();
  expect(document.activeElement).toBe(textbox('Name (de)'));
  expect(changes).toEqual([]);
  fireEvent.change(textbox('Name (de)'), { target: { value: 'Neues' } });
  fireEvent.click(button('Save'));
  await screen.findByText('Neues');
  const texts = { en: { name: 'News', description: '' }, de: { name: 'Neues', description: '' } };
  expect(changes).toEqual([['news', { texts, updatedAt: 0 }]]);
});

test('a language that is listed, in any spelling, is not added', async () => {
  await open([create('news', 1)]);
  fireEvent.click(button('Edit news'));
  fireEvent.change(textbox('Add language'), { target: { value: 'EN' } });
  expect(screen.getByText('en is already in the list.')).toBeTruthy();
  expect(button('Add en').disabled).toBe(true);
});

test('the dialog asks before it closes with a half-filled category', async () => {
  await open([create('news', 1)]);
  const keyboard = userEvent.setup();
  onClose.mockClear();
  await keyboard.type(textbox('Slug'), 'tips');
  await keyboard.type(textbox('Name (en)'), 'Tips');
  await keyboard.click(button('Close'));
  expect(onClose).not.toHaveBeenCalled();
  expect(screen.getByText('Not saved: Slug, Name (en).')).toBeTruthy();
  await keyboard.click(button('Keep editing'));
  expect(textbox('Name (en)')).toHaveProperty('value', 'Tips');
  await keyboard.click(button('Close'));
  await keyboard.click(button('Discard changes'));
  expect(onClose).toHaveBeenCalledTimes(1);
});
