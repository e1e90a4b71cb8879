import { boundedJson } from './bounded-json';

describe('boundedJson', () => {
  test('gives JSON also for what JSON cannot hold', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(boundedJson(circle)).toBe('{"unreadable":true}');
    expect(boundedJson({ count: 1n })).toBe('{"unreadable":true}');
  });
});
