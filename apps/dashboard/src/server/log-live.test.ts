import type { LogEntry, LogFilter } from '@belfry/pipeline/operate';
import { createLogger, newId } from '@belfry/runtime';
import type { LiveEvent } from '../api/log';
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
  const live = createLogLive({
    now: () => Date.now(),
    logger: quiet,
    log: {
      async listSince(appIds) {
        const rows = entries.filter(({ appId }) => appIds.includes(appId));
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
    },
  });
  function follow(appId: string, reason: string) {
    const events: LiveEvent[] = [];
    const filter = { appId, reason };
    live.listen({ appId, operatorId: newId(), filter, notify: (event) => events.push(event) });
    return events;
  }
  function accept(appId: string): string {
    const requestId = newId();
    entries.push({ ...createEntry(requestId), appId });
    return requestId;
  }
  return { ...live, slow, reads, follow, accept };
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
  expect(events.map(({ type }) => type)).toEqual(['trouble', 'trouble']);
  slow.isBroken = false;
  const second = accept('a');
  await waitSeconds(2);
  expect(listRows(events)).toEqual([first, second]);
  close();
});
