import { toBoundedJson } from './bounded-json';

describe('boundedJson', () => {
  test('gives JSON also for what JSON cannot hold', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(toBoundedJson(circle)).toBe('{"unreadable":true}');
    expect(toBoundedJson({ count: 1n })).toBe('{"unreadable":true}');
  });
});
