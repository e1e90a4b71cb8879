import { createFeed, type FeedDeps, maxLinesPerBatch } from './feed';
import { createPaint } from './paint';

function setUp(deps: Partial<FeedDeps> = {}) {
  const printed: string[] = [];
  const requestedIds: string[][] = [];
  const feed = createFeed({
    listMessages: async (ids) => {
      requestedIds.push(ids);
      return [];
    },
    listSkips: async () => [],
    print: (line) => printed.push(line),
    paint: createPaint(false),
    ...deps,
  });
  const read = (fields: Record<string, unknown>) => feed.read('api', JSON.stringify(fields));
  return { feed, read, printed, requestedIds };
}

const call = {
  level: 'info',
  message: 'call',
  method: 'POST',
  route: '/v1/apps/:app_id/events/send',
  status: 200,
  duration_ms: 9.1,
  request_id: 'request-1',
};

describe('the feed', () => {
  test('shows a request when it is answered, then its skipped channels and its messages', async () => {
    const { feed, read, printed } = setUp({
      listMessages: async () => [
        {
          id: 'm1',
          channel: 'email',
          target: 'ana@example.com',
          state: 'sent',
          reason: null,
          waits: null,
        },
      ],
      listSkips: async () => [{ channel: 'slack', reason: 'no_address' }],
    });
    read(call);
    expect(printed).toEqual(['-> POST /v1/apps/:app_id/events/send  200  9.1 ms  request-1']);
    read({ level: 'info', message: 'attempt.closed', message_id: 'm1', provider: 'sandbox' });
    await feed.show();
    expect(printed.slice(1).map((line) => line.split(/ +/).filter(Boolean))).toEqual([
      ['slack', '-', 'skipped', 'no_address'],
      ['email', 'a***@example.com', 'sent', 'sandbox'],
    ]);
  });

  test('queries a message once, even if several log lines name it', async () => {
    const { feed, read, requestedIds } = setUp();
    read({ level: 'info', message: 'attempt.closed', message_id: 'm1' });
    read({ level: 'info', message: 'message.settled', message_id: 'm1' });
    await feed.show();
    await feed.show();
    expect(requestedIds).toEqual([['m1']]);
  });

  test('hides probes, preflights, refusals already shown with their request, and successful background work', () => {
    const { read, printed } = setUp();
    read({ ...call, method: 'GET', route: '/readyz' });
    read({ ...call, method: 'OPTIONS' });
    read({ level: 'warn', message: 'call.refused', code: 'not_found' });
    read({ level: 'info', message: 'relay.requeued' });
    expect(printed).toEqual([]);
  });

  test('shows warnings with their fields, and lines that are not JSON unchanged', () => {
    const { feed, read, printed } = setUp();
    read({ level: 'error', message: 'job.failed', queue: 'deliver-email', timestamp: 'now' });
    feed.read('worker', 'Error: something broke');
    expect(printed).toEqual([
      '!! api: job.failed {"queue":"deliver-email"}',
      'worker: Error: something broke',
    ]);
  });

  test('counts lines over the limit instead of showing them, and starts over with each batch', async () => {
    const { feed, read, printed } = setUp();
    for (let number = 0; number < maxLinesPerBatch + 1_500; number += 1) read(call);
    await feed.show();
    expect(printed).toHaveLength(maxLinesPerBatch + 1);
    expect(printed.at(-1)).toContain('1,500 more');
    read(call);
    expect(printed).toHaveLength(maxLinesPerBatch + 2);
  });
});
