import { countStates } from '@belfry/shared';
import { act, cleanup, screen } from '@testing-library/react';
import { useState } from 'react';
import type { LogAnswer, LogRow } from '../../api/log';
import { createTestApi, renderPart } from '../render-part.fixture';
import type { PageFilters } from './filters';
import { useLogList } from './use-log-list';

const now = 1_800_000_000_000;
/** Streams that the page opened; the test plays the server. */
let streams: { onopen?: () => void; onerror?: () => void }[];

beforeEach(() => {
  jest.useFakeTimers({ now });
  streams = [];
  class Stream {
    static readonly CLOSED = 2;
    onopen?: () => void;
    onerror?: () => void;
    readyState = 1;
    constructor() {
      streams.push(this);
    }
    addEventListener() {}
    close() {}
  }
  Object.assign(globalThis, { EventSource: Stream });
});
afterEach(() => {
  cleanup();
  jest.useRealTimers();
});

function createRow(requestId: string, state = 'sent', acceptedAt = now - 60_000): LogRow {
  return {
    ...{ requestId, acceptedAt, event: 'order_shipped', kind: 'single', items: 1, plannedItems: 1 },
    ...{ recipient: null, isSandbox: true },
    channels: { sms: { state, counts: countStates([]) } },
  };
}

function createAnswer(rows: LogRow[], next: string | null = null): LogAnswer {
  return { rows, next, searchedFrom: null, skipsSearchedFrom: null, lagSeconds: 0 };
}

function List({ later }: { later: PageFilters }) {
  const [filters, setFilters] = useState<PageFilters>({});
  const list = useLogList({ appId: 'a', filters, isPaused: false });
  const rows = list.rows.visible.map(({ requestId, channels }) => {
    return `${requestId}:${channels['sms']?.state}`;
  });
  return (
    <>
      <output>{list.isRead ? rows.join(' ') : 'not read'}</output>
      <button type="button" onClick={() => setFilters(later)}>
        Filter
      </button>
    </>
  );
}

/** The log answers with the next of the pages, then with the last one again and again; never in place of `undefined`. */
async function open(pages: (LogAnswer | undefined)[], later: PageFilters = {}) {
  const api = createTestApi({});
  let calls = 0;
  api.call.mockImplementation(() => {
    const value = pages[Math.min(calls, pages.length - 1)];
    calls += 1;
    return value ? Promise.resolve({ value }) : new Promise<never>(() => undefined);
  });
  renderPart(<List later={later} />, api);
  await wait(0);
  await act(async () => streams.at(-1)?.onopen?.());
}

const getText = () => screen.getByRole('status').textContent;
const wait = (ms: number) => act(async () => jest.advanceTimersByTime(ms));

describe('the live log', () => {
  test('reads its shown rows again: late receipts appear, and rows that no longer match go', async () => {
    const before = [createRow('c'), createRow('b', 'queued'), createRow('a')];
    await open([createAnswer(before), createAnswer([createRow('c', 'failed'), createRow('a')])]);
    expect(getText()).toBe('c:sent b:queued a:sent');
    await wait(15_000);
    expect(getText()).toBe('c:failed a:sent');
  });

  test('keeps a row that arrived while the page was read', async () => {
    const rows = [createRow('b', 'sent', now + 14_000), createRow('a')];
    await open([createAnswer(rows), createAnswer([createRow('a')])]);
    await wait(15_000);
    expect(getText()).toBe('b:sent a:sent');
  });

  test('has no gap after a reconnect: if more arrived than a page has, it starts anew', async () => {
    await open([
      createAnswer([createRow('b'), createRow('a')]),
      createAnswer([createRow('z'), createRow('y')], 'y'),
    ]);
    await act(async () => streams.at(-1)?.onerror?.());
    await act(async () => streams.at(-1)?.onopen?.());
    expect(getText()).toBe('z:sent y:sent');
  });

  test('never shows the rows of other filters', async () => {
    await open([createAnswer([createRow('a')]), undefined], { state: 'failed' });
    await act(async () => screen.getByText('Filter').click());
    expect(getText()).toBe('not read');
  });

  test('drops rows that are older than its period', async () => {
    const rows = [createRow('b'), createRow('a', 'sent', now - 14 * 60_000)];
    await open([createAnswer(rows)], { last: '15m' });
    await act(async () => screen.getByText('Filter').click());
    expect(getText()).toBe('b:sent a:sent');
    await wait(3 * 60_000);
    expect(getText()).toBe('b:sent');
  });
});
