import { Writable } from 'node:stream';
import { createLogger } from './log';
import {
  createStartChecks,
  type Findings,
  type StartCheck,
  StartRefusedError,
} from './start-checks';

const log = createLogger({ level: 'error', process: 'test' });
const fit: Findings = { refusals: [], warnings: [] };

function setUp(...checks: StartCheck[]) {
  const errors: StartRefusedError[] = [];
  const started = createStartChecks({ checks, onRefused: (error) => errors.push(error), log });
  return { started, refused: errors };
}

/** A service that is unavailable for the first checks. */
function away(times: number, then: Findings): StartCheck & { readings: number } {
  const store = { name: 'redis', readings: 0, read };
  async function read(): Promise<Findings> {
    store.readings += 1;
    if (store.readings <= times) throw new Error('away');
    return then;
  }
  return store;
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('createStartChecks', () => {
  test('refuses to start with all problems of all services at once', async () => {
    const { started } = setUp(
      { name: 'postgresql', read: async () => ({ refusals: ['one', 'two'], warnings: [] }) },
      { name: 'redis', read: async () => ({ refusals: ['three'], warnings: [] }) },
    );
    const error = await started.run().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartRefusedError);
    expect(error).toMatchObject({
      refusals: ['one', 'two', 'three'],
      message: 'This process cannot start:\n  one\n  two\n  three',
    });
  });

  test('starts while a service is unavailable, and checks it once when it is back', async () => {
    const store = away(3, fit);
    const { started, refused: errors } = setUp(store);
    await started.run();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(store.readings).toBe(4);
    expect(errors).toEqual([]);
  });

  test('reports a problem of a service that became available later', async () => {
    const { started, refused: errors } = setUp(away(2, { refusals: ['evicts'], warnings: [] }));
    await started.run();
    expect(errors).toEqual([]);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(errors.map(({ refusals }) => refusals)).toEqual([['evicts']]);
  });

  test('logs each cause of an unavailable service once, however often it is checked', async () => {
    const lines: Record<string, unknown>[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    });
    const causes = ['away', 'away', 'away', 'full', 'full'];
    let readings = 0;
    const read = async () => {
      const cause = causes[readings];
      readings += 1;
      if (cause) throw Object.assign(new Error(cause), { code: cause });
      return fit;
    };
    const started = createStartChecks({
      checks: [{ name: 'redis', read }],
      onRefused: () => undefined,
      log: createLogger({ level: 'info', process: 'test', stream }),
    });
    await started.run();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(readings).toBe(causes.length + 1);
    const failures = lines.filter(({ message }) => message === 'start.check_failed');
    expect(failures).toMatchObject([
      { name: 'redis', error: { code: 'away' } },
      { name: 'redis', error: { code: 'full' } },
    ]);
  });

  test('stops checking after stop', async () => {
    const store = away(100, fit);
    const { started } = setUp(store);
    await started.run();
    started.stop();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(store.readings).toBe(1);
  });

  test('does not wait for a service that does not respond', async () => {
    const { started } = setUp({ name: 'redis', read: () => new Promise(() => undefined) });
    const run = started.run();
    await jest.advanceTimersByTimeAsync(5_000);
    await expect(run).resolves.toBeUndefined();
    started.stop();
  });
});
