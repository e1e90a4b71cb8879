import { Type } from '@sinclair/typebox';
import { readPayload } from './payload';

const allowedSchema = Type.Object({
  thread_ts: Type.Optional(Type.String({ pattern: '^[0-9.]+$' })),
  unfurl_links: Type.Optional(Type.Boolean()),
});

function read(providers: unknown, name: string | undefined = 'main') {
  return readPayload({ override: JSON.stringify({ providers }) }, name, allowedSchema);
}

describe('the payload of a call for one integration', () => {
  test('is sent when the provider allows the field and the value is valid', () => {
    expect(read({ main: { payload: { thread_ts: '1.2', unfurl_links: false } } })).toEqual({
      payload: { thread_ts: '1.2', unfurl_links: false },
    });
  });

  test('for another integration is not read', () => {
    expect(read({ other: { payload: { thread_ts: '1.2' } } })).toEqual({});
    const override = JSON.stringify({ providers: { main: { payload: { thread_ts: '1.2' } } } });
    expect(readPayload({ override }, undefined, allowedSchema)).toEqual({});
  });

  test.each([
    ['a field that is not on the list', { payload: { token: 'x' } }, 'token'],
    ['an address', { payload: { channel: 'C1' } }, 'channel'],
    ['a value of the wrong kind', { payload: { unfurl_links: 'no' } }, 'unfurl_links'],
    ['a value that breaks the rule', { payload: { thread_ts: 'now' } }, 'thread_ts'],
    ['headers and parameters', { headers: { a: 1 }, query_params: {} }, 'headers, query_params'],
    ['inherited properties', { payload: { constructor: 1 } }, 'constructor'],
  ])('%s is noted as ignored', (_what, input, ignored) => {
    expect(read({ main: input })).toEqual({ notes: { ignored_override: ignored } });
  });

  test.each([[null], [[]], ['x'], [{ main: null }], [{ main: 'x' }], [{ main: { payload: 'x' } }]])(
    'that is not an object is ignored: %j',
    (providers) => {
      expect(read(providers)).toEqual({});
    },
  );

  test('is empty for a call without overrides', () => {
    expect(readPayload({ override: undefined }, 'main', allowedSchema)).toEqual({});
  });
});
