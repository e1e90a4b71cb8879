import type { LogEntry, LogFilter, RequestLog } from '@belfry/pipeline/operate';
import { createLogger, newId } from '@belfry/runtime';
import type { LiveEvent } from '../api/log';
import { idAt } from './log-filter';
import { createLogLive } from './log-live';

jest.useFakeTimers();

const quiet = { ...createLogger({ level: 'error', process: 'test' }), warn: () => undefined };

function createEntry(requestId: string): LogEntry {
  return {
    ...{ requestId, acceptedAt: new Date(), event: 'order', eventId: newId(), kind: 'single' },
    ...{ items: 1, plannedItems: 1, idempotencyKey: null, isSensitive: false, isSandbox: false },
    ...{ channels: [], maxAttempts: {}, recipient: null, skips: {}, groups: [], messages: [] },
  };
}

/** A log that a test fills. The filters on `slow` are answered when the test says so. */
function setUp() {
  const entries: (LogEntry & { appId: string })[] = [];
  const reads: (string | undefined)[] = [];
  const slow = { open: 0, most: 0, isBroken: false, answer: (): void => undefined };
  const answered = new Promise<void>((resolve) => {
    slow.answer = resolve;
  });
  const log: Pick<RequestLog, 'listSince' | 'readEntries' | 'listMatching'> = {
    async listSince(appIds, from) {
      const rows = entries.filter(
        ({ appId, requestId }) => requestId >= (from[appIds.indexOf(appId)] ?? 'none'),
      );
      return rows.map(({ requestId: id, appId }) => ({ id, appId }));
    },
    readEntries: async (appId, ids) =>
      entries.filter((one) => one.appId === appId && ids.includes(one.requestId)).toReversed(),
    async listMatching({ reason }: LogFilter, ids) {
      reads.push(reason);
      if (slow.isBroken) throw new Error('away');
      slow.open += 1;
      slow.most = Math.max(slow.most, slow.open);
      if (reason?.startsWith('slow')) await answered;
      slow.open -= 1;
      return [...ids];
    },
  };
  const lag = { ms: 0 };
  const live = createLogLive({
    now: () => Date.now() - lag.ms,
    logger: quiet,
    readLog: async (work) => ({ value: await work(log), lagMs: lag.ms }),
  });
  function follow(appId: string, reason: string) {
    const events: LiveEvent[] = [];
    const filter = { appId, reason };
    live.listen({ appId, operatorId: newId(), filter, notify: (event) => events.push(event) });
    return events;
  }
  function accept(appId: string, agoMs = 0): string {
    const requestId = agoMs === 0 ? newId() : idAt(Date.now() - agoMs);
    const acceptedAt = new Date(Date.now() - agoMs);
    entries.push({ ...createEntry(requestId), acceptedAt, appId });
    return requestId;
  }
  return { ...live, slow, reads, lag, follow, accept };
}

const listRows = (events: LiveEvent[]) =>
  events.flatMap((event) => ('rows' in event ? event.rows.map(({ requestId }) => requestId) : []));

const waitSeconds = (seconds: number) => jest.advanceTimersByTimeAsync(seconds * 1_000);

test('a slow filter delays no other filter, and is not read again before it answers', async () => {
  const { follow, accept, slow, reads, close } = setUp();
  const [late, sameApp, otherApp] = [follow('a', 'slow'), follow('a', 'x'), follow('b', 'y')];
  const first = accept('a');
  await waitSeconds(2);
  const second = accept('a');
  const elsewhere = accept('b');
  await waitSeconds(3);
  expect([listRows(late), listRows(sameApp)]).toEqual([[], [first, second]]);
  expect(listRows(otherApp)).toEqual([elsewhere]);
  expect(reads.filter((reason) => reason === 'slow')).toHaveLength(1);
  slow.answer();
  await waitSeconds(2);
  expect(listRows(late)).toEqual([first, second]);
  close();
});

test('at most four filters are read at once', async () => {
  const { follow, accept, slow, close } = setUp();
  const all = [1, 2, 3, 4, 5, 6].map((n) => follow('a', `slow ${n}`));
  const id = accept('a');
  await waitSeconds(3);
  expect(slow.most).toBe(4);
  slow.answer();
  await waitSeconds(2);
  expect(all.map(listRows)).toEqual(all.map(() => [id]));
  close();
});

test('rows of a filter that cannot be read are sent once it can, and its pages hear of the trouble', async () => {
  const { follow, accept, slow, close } = setUp();
  const events = follow('a', 'x');
  slow.isBroken = true;
  const first = accept('a');
  await waitSeconds(2);
  expect(events.map(({ type }) => type)).toEqual(['lag', 'trouble', 'trouble']);
  slow.isBroken = false;
  const second = accept('a');
  await waitSeconds(2);
  expect(listRows(events)).toEqual([first, second]);
  close();
});

test('rows of a replica that is behind arrive late but all, and each page is told the lag when it changes', async () => {
  const { follow, accept, lag, close } = setUp();
  lag.ms = 30_000;
  const events = follow('a', 'x');
  await waitSeconds(3);
  const late = accept('a', 25_000);
  await waitSeconds(1);
  lag.ms = 1_900;
  await waitSeconds(3);
  expect(listRows(events)).toEqual([late]);
  const lags = events.filter(({ type }) => type === 'lag');
  expect(lags).toEqual([
    { type: 'lag', lagSeconds: 30 },
    { type: 'lag', lagSeconds: 0 },
  ]);
  close();
});
