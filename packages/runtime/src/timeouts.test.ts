import { createTimeouts } from './timeouts';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('createTimeouts', () => {
  test('calls each that is late, once, in the order in which they came', () => {
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

  test('does not call one that was removed, also when it was the next to fall due', () => {
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

  test('has one timer for all of them, none when there is nothing to watch, and one again later', () => {
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
