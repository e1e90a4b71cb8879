import { cleanup, screen } from '@testing-library/react';
import type { LogRow } from '../../api/log';
import { formatFull, formatTime } from '../dates';
import { createTestApi, renderPart } from '../render-part.fixture';
import { noRows } from './log-rows';
import { LogTable } from './log-table';
import type { LogList } from './use-log-list';

afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
});

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

test('a row names its event and its recipient, and says which try follows when', async () => {
  // jsdom lays nothing out, and rows outside of the pane are not rendered.
  jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
  const dueAt = Date.now() + 60_000;
  const wait = { reason: 'retry', attempts: 3, maxAttempts: 8, dueAt } as const;
  const none = { total: 1, sent: 0, delivered: 0, read: 0, failed: 0, unknown: 0, skipped: 0 };
  const counts = { ...none, waiting: 1, skippedByReason: {} };
  const row: LogRow = {
    ...{ requestId: 'r', kind: 'single', items: 1, plannedItems: 1, acceptedAt: searchedFrom },
    ...{ event: 'order_shipped', recipient: 'ana@example.com', isSandbox: false },
    channels: { sms: { state: 'queued', wait, counts } },
  };
  renderList({ rows: { ...noRows, visible: [row] } });
  const cells = (await screen.findByRole('link', { name: row.event })).closest('tr')?.cells;
  expect(cells?.[2]?.textContent).toBe(
    `ana@example.comsms retrying (3 of 8), next at ${formatTime(dueAt)}`,
  );
});
