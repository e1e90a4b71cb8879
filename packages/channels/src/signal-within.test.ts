import { signalWithin } from './signal-within';

describe('a signal within a time', () => {
  test('fires with the signal that it was made of, and for its reason', () => {
    const controller = new AbortController();
    const { signal, clear } = signalWithin(controller.signal, 60_000);
    const reason = new Error('cut');
    expect(signal.aborted).toBe(false);
    controller.abort(reason);
    clear();
    expect(signal.reason).toBe(reason);
  });

  test('has fired where that one has', () => {
    const { signal, clear } = signalWithin(AbortSignal.abort(), 60_000);
    clear();
    expect(signal.aborted).toBe(true);
  });

  test('fires when the time is over', async () => {
    const { signal } = signalWithin(new AbortController().signal, 1);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  test('does not fire any more once it is cleared', () => {
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
