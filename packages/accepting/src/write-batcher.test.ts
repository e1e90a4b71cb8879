import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NewRequest, Written } from '@belfry/database';
import { createLogger } from '@belfry/runtime';
import fc from 'fast-check';
import { createRoom } from './room';
import { createWriteBatcher, type WriteResult } from './write-batcher';

const log = createLogger({ level: 'error', process: 'test' });
const poison = 'poison';

type Caller = { key: string | undefined; isPoison: boolean; comesLater: boolean };

const callers = fc.array(
  fc.record({
    key: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
    isPoison: fc.boolean(),
    comesLater: fc.boolean(),
  }),
  { maxLength: 40 },
);

function requestOf({ key, isPoison }: Caller, index: number): NewRequest {
  const id = `request-${index}`;
  return {
    request: {
      id,
      accountId: 'account',
      appId: 'app',
      eventId: isPoison ? poison : 'event',
      versionId: 'version',
      kind: 'single',
      apiKeyId: undefined,
      idempotencyKey: key,
    },
    key: key === undefined ? undefined : keyOf(key),
    items: [],
  };
}

function keyOf(key: string) {
  return { hash: Buffer.from(key), fingerprint: Buffer.from(key), ringKeyId: 'k', status: 200 };
}

/** Whose result it is can be told: every request is answered with its own id. */
function ownResult({ request }: NewRequest): Written {
  const { fingerprint, ringKeyId, status } = keyOf('x');
  const winner = { fingerprint, ringKeyId, status, requestId: request.id, body: undefined };
  return { isWritten: false, winner };
}

/** A store that refuses every statement with a bad row in it, and loses some connections. */
function createStore(losesConnection: readonly boolean[]) {
  const written: string[] = [];
  const lost: string[] = [];
  let statements = 0;
  return {
    written,
    lost,
    async writeRequests(calls: NewRequest[]): Promise<Written[]> {
      const isLost = losesConnection[statements % Math.max(losesConnection.length, 1)] ?? false;
      statements += 1;
      await nextTurn();
      if (isLost) {
        lost.push(...calls.map(({ request }) => request.id));
        throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
      }
      if (calls.some(({ request }) => request.eventId === poison)) {
        throw Object.assign(new Error('bad row'), { code: '22P05' });
      }
      written.push(...calls.map(({ request }) => request.id));
      return calls.map(ownResult);
    },
  };
}

async function addAll(given: Caller[], store: ReturnType<typeof createStore>) {
  const write = createWriteBatcher({
    writeRequests: store.writeRequests,
    queues: { addDeliverJobs: async () => undefined, addFanOutJobs: async () => undefined },
    room: createRoom(),
    newId: () => 'id',
    log,
  });
  const answers: Promise<WriteResult>[] = [];
  for (const [index, caller] of given.entries()) {
    if (caller.comesLater) await nextTurn();
    answers.push(write.add(requestOf(caller, index)));
  }
  return Promise.all(answers);
}

describe('callers who are written together', () => {
  test('each have their own answer, whatever becomes of their neighbours', async () => {
    await fc.assert(
      fc.asyncProperty(
        callers,
        fc.array(fc.boolean(), { maxLength: 6 }),
        async (given, losesConnection) => {
          const store = createStore(losesConnection);
          const answers = await addAll(given, store);
          expect(answers).toHaveLength(given.length);
          for (const [index, answer] of answers.entries()) {
            const id = `request-${index}`;
            if ('error' in answer) {
              // A good row is refused for a lost connection only, and then it is not tried again.
              const isOwnFault = given[index]?.isPoison === true;
              expect(isOwnFault || store.lost.includes(id)).toBe(true);
              expect(store.written).not.toContain(id);
            } else {
              expect(answer).toMatchObject({ winner: { requestId: id } });
            }
          }
          expect(new Set(store.written).size).toBe(store.written.length);
          expect(store.written.filter((id) => store.lost.includes(id))).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });
});
