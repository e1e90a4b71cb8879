import { newId } from './ids';

describe('newId', () => {
  test('creates unique UUIDs of version 7 in the order of their creation', () => {
    const ids = Array.from({ length: 20_000 }, newId);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    const ms = Number.parseInt(ids[0]!.replaceAll('-', '').slice(0, 12), 16);
    expect(Math.abs(ms - Date.now())).toBeLessThan(5_000);
  });
});
