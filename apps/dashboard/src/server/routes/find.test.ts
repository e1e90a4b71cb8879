import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { createFindHandlers, type FindHandlersDeps } from './find';

type Search = {
  text: string;
  end: () => void;
  fail: (error: Error) => void;
  signal?: AbortSignal | undefined;
};

/** Searches that have started, and how to end them. */
function createSearches() {
  const started: Search[] = [];
  const deps: FindHandlersDeps = {
    apps: { find: async () => ({ id: 'app', defaultRegion: null }) as never },
    users: {
      listIdsByAddress: async () => [],
      search: async () => ({ rows: [], isPartial: false }),
    },
    log: {
      async readPage(_filter, options) {
        const search = started.at(-1);
        if (search) search.signal = options?.signal;
        return { ids: [], next: undefined, isPartial: false, skipsSearchedFrom: undefined };
      },
    },
    findNamed: ({ text }) =>
      new Promise((resolve, fail) => started.push({ text, end: () => resolve([]), fail })),
  };
  const handlers = createFindHandlers(deps);
  function search(text: string, operatorId = 'ana') {
    const res = new EventEmitter();
    const query = { text, app: '01900000-0000-7000-8000-000000000000' };
    const session = { account: { id: 'account' }, operator: { id: operatorId } };
    // The handler reads only these members.
    return { res, answer: handlers['GET /api/find']({ res, session, query } as never) };
  }
  return { started, search, list: () => started.map(({ text }) => text) };
}

describe('the searches of one operator', () => {
  test('run one after the other, and do not delay those of another', async () => {
    const { started, search, list } = createSearches();
    const answers = ['one', 'two'].map((text) => search(text).answer);
    answers.push(search('other', 'ben').answer);
    await setImmediate();
    expect(list()).toEqual(['one', 'other']);
    started[0]?.end();
    await answers[0];
    await setImmediate();
    expect(list()).toEqual(['one', 'other', 'two']);
    for (const { end } of started) end();
    expect(await Promise.all(answers)).toHaveLength(3);
  });

  test('are not started after their browser has left, and end soon if they run', async () => {
    const { started, search, list } = createSearches();
    const [running, left, last] = [search('running'), search('left'), search('last')];
    await setImmediate();
    expect(started[0]?.signal?.aborted).toBe(false);
    running.res.emit('close');
    left.res.emit('close');
    expect(started[0]?.signal?.aborted).toBe(true);
    started[0]?.end();
    await left.answer;
    await setImmediate();
    expect(list()).toEqual(['running', 'last']);
    started[1]?.end();
    await last.answer;
  });

  test('continue after one that failed', async () => {
    const { started, search, list } = createSearches();
    const failing = search('bad').answer;
    const next = search('next');
    await setImmediate();
    started[0]?.fail(new Error('PostgreSQL is away'));
    await expect(failing).rejects.toThrow('PostgreSQL is away');
    await setImmediate();
    expect(list()).toEqual(['bad', 'next']);
    started[1]?.end();
    await next.answer;
  });
});
