import { createSecrets, type Secrets } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import {
  createRunIdempotentRequest,
  type HandlerResult,
  type IdempotencyResult,
  type IdempotentHandler,
  type IdempotentRequest,
  type IdempotentRequestDeps,
} from './idempotency';
import type { BeginResult } from './idempotency-store';
import type { StoredKey } from './stored-key';
import { UnclearWriteError } from './write-failure';

const ringKey = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const secrets = createSecrets(ringKey('k1', 1));
const facts: IdempotentRequest = {
  callId: 'call',
  accountId: 'account',
  idempotencyKey: 'key',
  route: 'POST /v1/things',
  parameters: () => '{"a":1}',
};
const text = 'POST /v1/things\n{"a":1}';
const createEntry = (
  changes: Partial<Exclude<BeginResult, { state: 'acquired' | 'bypassed' }>> = {},
) => ({
  state: 'locked' as const,
  fingerprint: secrets.fingerprint('idempotency', text),
  ringKeyId: 'k1',
  requestId: 'first',
  ...changes,
});
const row = (changes: Partial<StoredKey> = {}): StoredKey => ({
  fingerprint: secrets.fingerprint('idempotency', text),
  ringKeyId: 'k1',
  requestId: 'first',
  status: 200,
  body: undefined,
  ...changes,
});

type SetUp = {
  beginResult?: BeginResult;
  stored?: StoredKey | Error;
  run?: () => Promise<HandlerResult>;
  buildBody?: IdempotentHandler['buildBody'] | null;
  call?: Partial<IdempotentRequest>;
  deps?: Partial<IdempotentRequestDeps>;
};

/** A fake Redis store and database; `steps` records their calls in order. */
function setUp({
  beginResult = { state: 'acquired' },
  stored,
  run,
  buildBody,
  call,
  deps,
}: SetUp = {}) {
  const steps: string[] = [];
  const counted: IdempotencyResult[] = [];
  const runIdempotentRequest = createRunIdempotentRequest({
    idempotencyStore: {
      async begin() {
        steps.push('begin');
        return beginResult;
      },
      async finish({ state, requestId, owner }) {
        steps.push(`finish ${state} ${requestId} of ${owner}`);
      },
      async release() {
        steps.push('release');
      },
    },
    async findStoredKey() {
      steps.push('find');
      if (stored instanceof Error) throw stored;
      return stored;
    },
    async writeKeyAlone({ body, key }) {
      steps.push(`write ${key.status} ${body}`);
      return { isWritten: true };
    },
    secrets,
    failureBody: (callId) => `failed ${callId}`,
    count: (result) => counted.push(result),
    ...deps,
  });
  const work: IdempotentHandler = {
    async run(key) {
      steps.push(key ? `run ${key.status}` : 'run');
      return run ? run() : { isWritten: true, body: 'done' };
    },
    ...(buildBody === null ? {} : { buildBody: buildBody ?? ((id: string) => `of ${id}`) }),
  };
  return { steps, counted, answer: runIdempotentRequest({ ...facts, ...call }, work) };
}

const refusal = (code: 'event_not_found' | 'rate_limited' | 'unavailable', cause?: unknown) =>
  new AppError(code, code, { cause });

describe('a request without a key', () => {
  test('checks no key in Redis or PostgreSQL', async () => {
    const { answer, steps, counted } = setUp({ call: { idempotencyKey: undefined } });
    expect(await answer).toEqual({ status: 200, body: 'done', isReplay: false });
    expect([steps, counted]).toEqual([['run'], []]);
  });
});

/** The calls of the stores and the counted results. */
type ExpectedCalls = [string[], IdempotencyResult[]];

describe('a request with a key', () => {
  test.each<[string, SetUp, object, ExpectedCalls]>([
    [
      'runs if it has the lock',
      {},
      { body: 'done', isReplay: false },
      [['begin', 'run 200', 'finish done call of call'], ['accepted']],
    ],
    [
      'runs if Redis is unavailable',
      { beginResult: { state: 'bypassed' } },
      { body: 'done', isReplay: false },
      [
        ['begin', 'run 200', 'finish done call of call'],
        ['bypass', 'accepted'],
      ],
    ],
    [
      'leaves a stored body in PostgreSQL',
      { buildBody: null },
      { body: 'done', isReplay: false },
      [['begin', 'run 200', 'finish done_in_row call of call'], ['accepted']],
    ],
    [
      'replays a response that follows from the id in Redis',
      { beginResult: createEntry({ state: 'done' }) },
      { status: 200, body: 'of first', isReplay: true },
      [['begin'], ['replayed']],
    ],
    [
      'replays the response from PostgreSQL if Redis says it is there',
      {
        beginResult: createEntry({ state: 'done_in_row' }),
        stored: row({ status: 500, body: 'broken' }),
      },
      { status: 500, body: 'broken', isReplay: true },
      [['begin', 'find', 'finish done_in_row first of first'], ['replayed']],
    ],
    [
      'reads PostgreSQL even if Redis has the id, if the body does not follow from the id',
      {
        beginResult: createEntry({ state: 'done' }),
        stored: row({ body: 'a user' }),
        buildBody: null,
      },
      { status: 200, body: 'a user', isReplay: true },
      [['begin', 'find', 'finish done_in_row first of first'], ['replayed']],
    ],
    [
      'replays while its key is locked, if the first request has committed',
      { beginResult: createEntry(), stored: row() },
      { status: 200, body: 'of first', isReplay: true },
      [['begin', 'find', 'finish done first of first'], ['replayed']],
    ],
    [
      'runs if PostgreSQL purged the response that Redis still has',
      { beginResult: createEntry({ state: 'done_in_row' }) },
      { body: 'done', isReplay: false },
      [['begin', 'find', 'run 200', 'finish done call of call'], ['accepted']],
    ],
    [
      'replays the winner if it lost in PostgreSQL, and updates Redis',
      { run: async () => ({ isWritten: false, winner: row() }) },
      { status: 200, body: 'of first', isReplay: true },
      [['begin', 'run 200', 'finish done first of call'], ['replayed']],
    ],
    [
      'replays an accepted request even if a retry would now be refused',
      { run: () => Promise.reject(refusal('event_not_found')), stored: row() },
      { status: 200, body: 'of first', isReplay: true },
      [['begin', 'run 200', 'find', 'finish done first of call'], ['replayed']],
    ],
    [
      'replays another request that succeeded while this one failed',
      {
        run: () => Promise.reject(new Error('bug')),
        deps: { writeKeyAlone: async () => ({ isWritten: false, winner: row() }) },
      },
      { status: 200, body: 'of first', isReplay: true },
      [['begin', 'run 200', 'finish done first of call'], ['replayed']],
    ],
  ])('%s', async (_what, options, expected, expectedCalls) => {
    const setup = setUp(options);
    expect(await setup.answer).toMatchObject(expected);
    expect([setup.steps, setup.counted]).toEqual(expectedCalls);
  });

  const otherFingerprint = { fingerprint: Buffer.alloc(32, 9) };
  test.each<[string, SetUp, object, ExpectedCalls]>([
    [
      'is a mismatch if another request holds the lock with other parameters',
      { beginResult: createEntry(otherFingerprint) },
      { code: 'idempotency_mismatch' },
      [['begin'], ['mismatch']],
    ],
    [
      'is a mismatch if Redis has another fingerprint',
      { beginResult: createEntry({ ...otherFingerprint, state: 'done' }) },
      { code: 'idempotency_mismatch' },
      [['begin'], ['mismatch']],
    ],
    [
      'is a mismatch if PostgreSQL has another fingerprint',
      { run: async () => ({ isWritten: false, winner: row(otherFingerprint) }) },
      { code: 'idempotency_mismatch' },
      [['begin', 'run 200', 'finish done first of call'], ['mismatch']],
    ],
    [
      'conflicts while its key is locked and nothing is stored',
      { beginResult: createEntry() },
      { code: 'idempotency_conflict', headers: { 'Retry-After': '1' } },
      [['begin', 'find'], ['conflict']],
    ],
    [
      'releases its key if the handler refuses the request',
      { run: () => Promise.reject(refusal('event_not_found')) },
      { code: 'event_not_found' },
      [['begin', 'run 200', 'find', 'release'], ['refused']],
    ],
    [
      'releases its key if the connection to PostgreSQL was refused',
      { run: () => Promise.reject(refusal('unavailable', new Error('refused'))) },
      { code: 'unavailable' },
      [['begin', 'run 200', 'release'], ['refused']],
    ],
    [
      'releases its key if reading the stored key fails',
      {
        run: () => Promise.reject(refusal('event_not_found')),
        stored: refusal('unavailable'),
      },
      { code: 'unavailable' },
      [['begin', 'run 200', 'find', 'release'], ['refused']],
    ],
    [
      'keeps its key locked if the response of PostgreSQL was lost',
      {
        run: () => Promise.reject(refusal('unavailable', new UnclearWriteError(new Error('lost')))),
      },
      { code: 'unavailable' },
      [['begin', 'run 200'], ['refused']],
    ],
    [
      'stores the response to an internal error, and rethrows the error',
      { run: () => Promise.reject(new Error('bug')) },
      { message: 'bug' },
      [
        ['begin', 'run 200', 'write 500 failed call', 'finish done_in_row call of call'],
        ['failed'],
      ],
    ],
    [
      'responds with 503 if the response to an internal error cannot be stored',
      {
        run: () => Promise.reject(new Error('bug')),
        deps: { writeKeyAlone: () => Promise.reject(new Error('lost')) },
      },
      { code: 'unavailable', headers: { 'Retry-After': '2' }, cause: { message: 'bug' } },
      [['begin', 'run 200'], ['refused']],
    ],
  ])('%s', async (_what, options, expected, expectedCalls) => {
    const setup = setUp(options);
    await expect(setup.answer).rejects.toMatchObject(expected);
    expect([setup.steps, setup.counted]).toEqual(expectedCalls);
  });

  test.each<[string, Partial<IdempotentRequest>]>([
    ['on another endpoint', { route: 'POST /v1/others' }],
    ['with other parameters', { parameters: () => '{"a":2}' }],
  ])('mismatches %s', async (_what, call) => {
    const { answer } = setUp({ beginResult: createEntry({ state: 'done' }), call });
    await expect(answer).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });
});

describe('after key rotation', () => {
  const rotated: Secrets = createSecrets(`${ringKey('k2', 2)},${ringKey('k1', 1)}`);

  test('finds a request by the ring key that it was stored with', async () => {
    const { answer } = setUp({
      beginResult: createEntry({ state: 'done' }),
      deps: { secrets: rotated },
    });
    expect(await answer).toMatchObject({ body: 'of first', isReplay: true });
  });

  test('detects other parameters with that ring key', async () => {
    const { answer } = setUp({
      beginResult: createEntry({ state: 'done' }),
      call: { parameters: () => '{"a":2}' },
      deps: { secrets: rotated },
    });
    await expect(answer).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });

  test('responds with 503 if it cannot compare, and does not run', async () => {
    const beginResult = createEntry({ ringKeyId: 'k9', state: 'done' });
    const { answer, steps } = setUp({ beginResult, deps: { secrets: rotated } });
    await expect(answer).rejects.toMatchObject({ code: 'unavailable' });
    expect(steps).toEqual(['begin']);
  });
});
