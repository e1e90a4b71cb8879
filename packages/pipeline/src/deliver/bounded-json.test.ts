import { toBoundedJson } from './next-state';

describe('toBoundedJson', () => {
  test('returns JSON even for values that JSON cannot represent', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(toBoundedJson(circle)).toBe('{"unreadable":true}');
    expect(toBoundedJson({ count: 1n })).toBe('{"unreadable":true}');
  });
});
