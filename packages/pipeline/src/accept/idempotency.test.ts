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
import { UnclearWriteError } from './write-outcome';
import type { StoredKey } from './write-requests';

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

/** A gate and a store that are literals; `steps` says what was asked of them, in order. */
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

describe('a call without a key', () => {
  test('asks neither Redis nor PostgreSQL for one', async () => {
    const { answer, steps, counted } = setUp({ call: { idempotencyKey: undefined } });
    expect(await answer).toEqual({ status: 200, body: 'done', isReplay: false });
    expect([steps, counted]).toEqual([['run'], []]);
  });
});

/** What was asked of gate and stores, and what was counted. */
type ExpectedCalls = [string[], IdempotencyResult[]];

describe('a call with a key', () => {
  test.each<[string, SetUp, object, ExpectedCalls]>([
    [
      'is run when it has the lock',
      {},
      { body: 'done', isReplay: false },
      [['begin', 'run 200', 'finish done call of call'], ['accepted']],
    ],
    [
      'is run when Redis is away',
      { beginResult: { state: 'bypassed' } },
      { body: 'done', isReplay: false },
      [
        ['begin', 'run 200', 'finish done call of call'],
        ['bypass', 'accepted'],
      ],
    ],
    [
      'leaves a body that does not follow from its id to PostgreSQL',
      { buildBody: null },
      { body: 'done', isReplay: false },
      [['begin', 'run 200', 'finish done_in_row call of call'], ['accepted']],
    ],
    [
      'replays from the id that Redis has',
      { beginResult: createEntry({ state: 'done' }) },
      { status: 200, body: 'of first', isReplay: true },
      [['begin'], ['replayed']],
    ],
    [
      'replays what PostgreSQL has, where Redis says that it has it',
      {
        beginResult: createEntry({ state: 'done_in_row' }),
        stored: row({ status: 500, body: 'broken' }),
      },
      { status: 500, body: 'broken', isReplay: true },
      [['begin', 'find', 'finish done_in_row first of first'], ['replayed']],
    ],
    [
      'asks PostgreSQL also where Redis has the id, when the body does not follow from it',
      {
        beginResult: createEntry({ state: 'done' }),
        stored: row({ body: 'a user' }),
        buildBody: null,
      },
      { status: 200, body: 'a user', isReplay: true },
      [['begin', 'find', 'finish done_in_row first of first'], ['replayed']],
    ],
    [
      'replays while its key is locked, when the first call has committed',
      { beginResult: createEntry(), stored: row() },
      { status: 200, body: 'of first', isReplay: true },
      [['begin', 'find', 'finish done first of first'], ['replayed']],
    ],
    [
      'is run when PostgreSQL has forgotten the answer that Redis remembers',
      { beginResult: createEntry({ state: 'done_in_row' }) },
      { body: 'done', isReplay: false },
      [['begin', 'find', 'run 200', 'finish done call of call'], ['accepted']],
    ],
    [
      'that lost in PostgreSQL replays the winner, and tells Redis',
      { run: async () => ({ isWritten: false, winner: row() }) },
      { status: 200, body: 'of first', isReplay: true },
      [['begin', 'run 200', 'finish done first of call'], ['replayed']],
    ],
    [
      'replays what was accepted before it is refused for what is stored now',
      { run: () => Promise.reject(refusal('event_not_found')), stored: row() },
      { status: 200, body: 'of first', isReplay: true },
      [['begin', 'run 200', 'find', 'finish done first of call'], ['replayed']],
    ],
    [
      'that failed after another one had succeeded replays that one',
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
      'is a mismatch by what Redis has locked',
      { beginResult: createEntry(otherFingerprint) },
      { code: 'idempotency_mismatch' },
      [['begin'], ['mismatch']],
    ],
    [
      'is a mismatch by what Redis has done',
      { beginResult: createEntry({ ...otherFingerprint, state: 'done' }) },
      { code: 'idempotency_mismatch' },
      [['begin'], ['mismatch']],
    ],
    [
      'is a mismatch by what PostgreSQL has',
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
      'frees its key when it is refused for what is stored',
      { run: () => Promise.reject(refusal('event_not_found')) },
      { code: 'event_not_found' },
      [['begin', 'run 200', 'find', 'release'], ['refused']],
    ],
    [
      'frees its key when PostgreSQL refused the connection',
      { run: () => Promise.reject(refusal('unavailable', new Error('refused'))) },
      { code: 'unavailable' },
      [['begin', 'run 200', 'release'], ['refused']],
    ],
    [
      'frees its key when PostgreSQL does not say what is stored under it',
      {
        run: () => Promise.reject(refusal('event_not_found')),
        stored: refusal('unavailable'),
      },
      { code: 'unavailable' },
      [['begin', 'run 200', 'find', 'release'], ['refused']],
    ],
    [
      'leaves its key locked when the answer of PostgreSQL was lost',
      {
        run: () => Promise.reject(refusal('unavailable', new UnclearWriteError(new Error('lost')))),
      },
      { code: 'unavailable' },
      [['begin', 'run 200'], ['refused']],
    ],
    [
      'stores a fault of ours with its body, and passes it on',
      { run: () => Promise.reject(new Error('bug')) },
      { message: 'bug' },
      [
        ['begin', 'run 200', 'write 500 failed call', 'finish done_in_row call of call'],
        ['failed'],
      ],
    ],
    [
      'is no 500 when the fault cannot be stored',
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
  ])('is another call %s', async (_what, call) => {
    const { answer } = setUp({ beginResult: createEntry({ state: 'done' }), call });
    await expect(answer).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });
});

describe('a ring that was rotated', () => {
  const rotated: Secrets = createSecrets(`${ringKey('k2', 2)},${ringKey('k1', 1)}`);

  test('finds a call under the key that it was stored with', async () => {
    const { answer } = setUp({
      beginResult: createEntry({ state: 'done' }),
      deps: { secrets: rotated },
    });
    expect(await answer).toMatchObject({ body: 'of first', isReplay: true });
  });

  test('tells other parameters apart under that key', async () => {
    const { answer } = setUp({
      beginResult: createEntry({ state: 'done' }),
      call: { parameters: () => '{"a":2}' },
      deps: { secrets: rotated },
    });
    await expect(answer).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });

  test('refuses with 503 what it cannot compare, and runs nothing', async () => {
    const beginResult = createEntry({ ringKeyId: 'k9', state: 'done' });
    const { answer, steps } = setUp({ beginResult, deps: { secrets: rotated } });
    await expect(answer).rejects.toMatchObject({ code: 'unavailable' });
    expect(steps).toEqual(['begin']);
  });
});
