import { createTimeouts } from './timeouts';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('createTimeouts', () => {
  test('calls each late one once, in the order they were added', () => {
    const late: string[] = [];
    const timeouts = createTimeouts(100);
    timeouts.add(() => late.push('first'));
    jest.advanceTimersByTime(60);
    timeouts.add(() => late.push('second'));
    jest.advanceTimersByTime(39);
    expect(late).toEqual([]);
    jest.advanceTimersByTime(2);
    expect(late).toEqual(['first']);
    jest.advanceTimersByTime(500);
    expect(late).toEqual(['first', 'second']);
  });

  test('does not call a removed one, even if it was next', () => {
    const late: string[] = [];
    const timeouts = createTimeouts(100);
    const first = timeouts.add(() => late.push('first'));
    jest.advanceTimersByTime(50);
    timeouts.add(() => late.push('second'));
    timeouts.remove(first);
    jest.advanceTimersByTime(99);
    expect(late).toEqual([]);
    jest.advanceTimersByTime(2);
    expect(late).toEqual(['second']);
  });

  test('uses one timer for all, none while it is empty, and a new one later', () => {
    const timeouts = createTimeouts(100);
    expect(jest.getTimerCount()).toBe(0);
    const all = Array.from({ length: 50 }, () => timeouts.add(() => undefined));
    expect(jest.getTimerCount()).toBe(1);
    for (const each of all) timeouts.remove(each);
    jest.advanceTimersByTime(101);
    expect(jest.getTimerCount()).toBe(0);
    const late: string[] = [];
    timeouts.add(() => late.push('later'));
    jest.advanceTimersByTime(101);
    expect(late).toEqual(['later']);
  });
});
