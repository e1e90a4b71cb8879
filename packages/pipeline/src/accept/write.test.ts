import { setImmediate as waitForImmediate } from 'node:timers/promises';
import { createLogger } from '@belfry/runtime';
import fc from 'fast-check';
import { createCapacity } from '../relay/capacity';
import { createWriteBatcher } from './write';
import type { NewRequest, WriteResult } from './write.sql';

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

function createRequest({ key, isPoison }: Caller, index: number): NewRequest {
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
    key: key === undefined ? undefined : createKey(key),
    items: [],
  };
}

function createKey(key: string) {
  return { hash: Buffer.from(key), fingerprint: Buffer.from(key), ringKeyId: 'k', status: 200 };
}

/** Identifies the request: its result carries its own id. */
function ownResult({ request }: NewRequest): WriteResult {
  const { fingerprint, ringKeyId, status } = createKey('x');
  const winner = { fingerprint, ringKeyId, status, requestId: request.id, body: undefined };
  return { isWritten: false, winner };
}

/** A fake store that refuses statements with a bad row and loses some connections. */
function createStore(losesConnection: readonly boolean[]) {
  const writtenIds: string[] = [];
  const lost: string[] = [];
  let statements = 0;
  return {
    written: writtenIds,
    lost,
    async writeRequests(calls: NewRequest[]): Promise<WriteResult[]> {
      const isLost = losesConnection[statements % Math.max(losesConnection.length, 1)] ?? false;
      statements += 1;
      await waitForImmediate();
      if (isLost) {
        lost.push(...calls.map(({ request }) => request.id));
        throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
      }
      if (calls.some(({ request }) => request.eventId === poison)) {
        throw Object.assign(new Error('bad row'), { code: '22P05' });
      }
      writtenIds.push(...calls.map(({ request }) => request.id));
      return calls.map(ownResult);
    },
  };
}

async function addAll(callerList: Caller[], store: ReturnType<typeof createStore>) {
  const write = createWriteBatcher({
    writeRequests: store.writeRequests,
    queues: {
      addDeliverJobs: async () => undefined,
      addFanOutJobs: async () => undefined,
      wakeRelay: () => undefined,
    },
    capacity: createCapacity(),
    newId: () => 'id',
    log,
  });
  const answers: Promise<WriteResult>[] = [];
  for (const [index, caller] of callerList.entries()) {
    if (caller.comesLater) await waitForImmediate();
    answers.push(write.add(createRequest(caller, index)));
  }
  return Promise.all(answers);
}

describe('requests that are written together', () => {
  test('each get their own result, whatever happens to the others', async () => {
    await fc.assert(
      fc.asyncProperty(
        callers,
        fc.array(fc.boolean(), { maxLength: 6 }),
        async (callerList, losesConnection) => {
          const store = createStore(losesConnection);
          const answers = await addAll(callerList, store);
          expect(answers).toHaveLength(callerList.length);
          for (const [index, answer] of answers.entries()) {
            const id = `request-${index}`;
            if ('error' in answer) {
              // A good row fails only if the connection was lost, and then it is not retried.
              const isOwnFault = callerList[index]?.isPoison === true;
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
