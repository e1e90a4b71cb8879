import { cleanup, screen } from '@testing-library/react';
import { formatFull } from '../dates';
import { createTestApi, renderPart } from '../render-part.fixture';
import { noRows } from './log-rows';
import { LogTable } from './log-table';
import type { LogList } from './use-log-list';

afterEach(cleanup);

const searchedFrom = Date.UTC(2026, 10, 30, 5);

function renderList(changes: Partial<LogList>) {
  const list: LogList = {
    ...{ pane: { current: null }, rows: noRows, isRead: true, hasOlder: true },
    ...{ searchedFrom: null, skipsSearchedFrom: null, lagSeconds: 0, live: 'live' },
    ...{ value: undefined, readAt: 0, problem: undefined },
    reload: async () => undefined,
    readOlder: jest.fn(async () => undefined),
    showPending: () => undefined,
    ...changes,
  };
  renderPart(<LogTable list={list} openId={undefined} search="" />, createTestApi({}));
  return list;
}

test('a search that stopped at its limit says how far it went, and goes on when asked', () => {
  const list = renderList({ searchedFrom });
  const sentence = `No request matches these filters since ${formatFull(searchedFrom)}. Older requests were not searched yet.`;
  expect(screen.getByText(sentence)).toBeTruthy();
  screen.getByRole('button', { name: 'Search older requests' }).click();
  expect(list.readOlder).toHaveBeenCalledTimes(1);
});

test('a search that read everything says that nothing matches', () => {
  renderList({ hasOlder: false });
  expect(screen.getByText(/^No request matches these filters\. Remove/)).toBeTruthy();
  expect(screen.queryByRole('button')).toBeNull();
});

test('a log from a replica that is behind says so', () => {
  renderList({ lagSeconds: 12 });
  expect(screen.getByText('The log is read from a replica that is 12 s behind.')).toBeTruthy();
});
