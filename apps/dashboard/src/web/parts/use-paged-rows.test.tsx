import { act, renderHook } from '@testing-library/react';
import { type RowPage, usePagedRows } from './use-paged-rows';

const createPage = (ids: string, next: string | null = 'more'): RowPage<{ id: string }> => ({
  rows: [...ids].map((id) => ({ id })),
  next,
});

type Props = { key?: string; first: RowPage<{ id: string }>; isHeld?: boolean };

function open(first: RowPage<{ id: string }>) {
  const initialProps: Props = { first };
  const hook = renderHook(
    (props: Props) => usePagedRows(props.key ?? 'k', props.first, props.isHeld),
    {
      initialProps,
    },
  );
  const list = () => hook.result.current.rows.map(({ id }) => id).join('');
  const addOlder = (ids: string) => act(() => hook.result.current.addOlder(createPage(ids, null)));
  return { ...hook, list, addOlder };
}

describe('a list of pages', () => {
  test('keeps the rows that new ones push off the first page', () => {
    const { list, addOlder, rerender } = open(createPage('fed'));
    addOlder('cba');
    rerender({ first: createPage('hgf') });
    expect(list()).toBe('hgfedcba');
  });

  test('drops a row of the first page that is no longer in it', () => {
    const { list, addOlder, rerender } = open(createPage('fed'));
    addOlder('cba');
    rerender({ first: createPage('fdc') });
    expect(list()).toBe('fdcba');
  });

  test('has each row once, also if an older page was read twice', () => {
    const { list, addOlder } = open(createPage('fed'));
    addOlder('cba');
    addOlder('cba');
    expect(list()).toBe('fedcba');
  });

  test('has no gap: if more arrived than a page has, it starts anew', () => {
    const { list, addOlder, rerender, result } = open(createPage('fed'));
    addOlder('cba');
    rerender({ first: createPage('kji', 'i') });
    expect([list(), result.current.next]).toEqual(['kji', 'i']);
  });

  test('keeps what is shown while it is held, and counts what is new', () => {
    const { list, rerender, result } = open(createPage('cba'));
    rerender({ first: createPage('fed'), isHeld: true });
    expect([list(), result.current.pending]).toEqual(['cba', 3]);
    act(() => result.current.showPending());
    expect([list(), result.current.pending]).toEqual(['fed', 0]);
  });

  test('loses a removed row even while it is held', () => {
    const { list, rerender } = open(createPage('dcba', null));
    rerender({ first: createPage('edb', 'b'), isHeld: true });
    expect(list()).toBe('dba');
    rerender({ first: createPage('', null), isHeld: true });
    expect(list()).toBe('');
  });

  test('is not held while it is empty', () => {
    const { list, rerender } = open(createPage('', null));
    rerender({ first: createPage('a', null), isHeld: true });
    expect(list()).toBe('a');
  });

  test('starts anew with other filters', () => {
    const { list, addOlder, rerender } = open(createPage('fed'));
    addOlder('cba');
    rerender({ key: 'other', first: createPage('zy', null) });
    expect(list()).toBe('zy');
  });
});
