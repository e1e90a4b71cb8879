import fc from 'fast-check';
import type { Json } from '../data';
import { withoutNulls } from './without-nulls';

describe('withoutNulls', () => {
  test('drops null members at every depth, except inside data', () => {
    const body = {
      event: 'e',
      override: null,
      user: { email: null, slack: { access_token: null, email: 'a' } },
      data: { name: null, list: [null, { a: null }] },
    };
    expect(withoutNulls(body)).toEqual({
      event: 'e',
      user: { slack: { email: 'a' } },
      data: { name: null, list: [null, { a: null }] },
    });
  });

  test('drops a data that is null itself', () => {
    expect(withoutNulls({ event: 'e', data: null })).toEqual({ event: 'e' });
  });

  test('drops them in each element of a batch', () => {
    const batch = [{ user: { email: null }, data: { a: null }, override: null }, null];
    expect(withoutNulls({ batch })).toEqual({ batch: [{ user: {}, data: { a: null } }, null] });
  });

  test('keeps the length of arrays', () => {
    expect(withoutNulls({ user: { fcm_tokens: ['a', null] } })).toEqual({
      user: { fcm_tokens: ['a', null] },
    });
  });

  test('keeps nulls only in members named data that the wire format defines', () => {
    expect(withoutNulls({ user: { data: { a: null } } })).toEqual({ user: { data: {} } });
  });

  test('returns the same value if it has no null', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes('null'));
        // Safe cast: a parsed JSON value is Json.
        expect(withoutNulls(value as Json)).toBe(value);
      }),
    );
  });
});
