import { signalWithin } from './signal-within';

describe('a signal with a time limit', () => {
  test('fires with its source signal, for the same reason', () => {
    const controller = new AbortController();
    const { signal, clear } = signalWithin(controller.signal, 60_000);
    const reason = new Error('cut');
    expect(signal.aborted).toBe(false);
    controller.abort(reason);
    clear();
    expect(signal.reason).toBe(reason);
  });

  test('is aborted when its source already is', () => {
    const { signal, clear } = signalWithin(AbortSignal.abort(), 60_000);
    clear();
    expect(signal.aborted).toBe(true);
  });

  test('fires when the time is up', async () => {
    const { signal } = signalWithin(new AbortController().signal, 1);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  test('does not fire after `clear`', () => {
    jest.useFakeTimers();
    const controller = new AbortController();
    const { signal, clear } = signalWithin(controller.signal, 10);
    clear();
    jest.advanceTimersByTime(20);
    controller.abort();
    jest.useRealTimers();
    expect(signal.aborted).toBe(false);
  });
});
