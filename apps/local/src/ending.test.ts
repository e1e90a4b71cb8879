import { createEnding } from './ending';

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends the run with exit code 0, and a second one changes nothing',
  async (signal) => {
    const onStopRequest = jest.fn();
    const listenersBefore = process.listenerCount(signal);
    const ending = createEnding(onStopRequest);
    process.emit(signal, signal);
    process.emit(signal, signal);
    expect(await ending.exitCode).toBe(0);
    expect(ending.signal.aborted).toBe(true);
    expect(onStopRequest).toHaveBeenCalledTimes(1);
    ending.release();
    expect(process.listenerCount(signal)).toBe(listenersBefore);
  },
);

test('a process that keeps failing ends the run with exit code 1', async () => {
  const ending = createEnding(() => undefined);
  ending.lose();
  expect(await ending.exitCode).toBe(1);
  expect(ending.signal.aborted).toBe(true);
  ending.release();
});
