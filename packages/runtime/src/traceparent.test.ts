import { getTraceId, parseTraceparent, splitTraceparent } from './traceparent';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const valid = `00-${traceId}-${spanId}-01`;

describe('parseTraceparent', () => {
  test.each([
    ['sampled', valid, valid],
    ['not sampled', `00-${traceId}-${spanId}-00`, `00-${traceId}-${spanId}-00`],
    ['flags of later levels', `00-${traceId}-${spanId}-ff`, valid],
    ['an unset sampled flag beside others', `00-${traceId}-${spanId}-02`, valid.replace(/1$/, '0')],
    ['a later version', `cc-${traceId}-${spanId}-01`, valid],
    ['a later version with more fields', `01-${traceId}-${spanId}-01-what-is-this`, valid],
  ])('accepts %s, and writes version 00', (_what, header, stored) => {
    expect(parseTraceparent(header)).toBe(stored);
  });

  test.each([
    ['an absent header', undefined],
    ['an empty header', ''],
    ['version ff', `ff-${traceId}-${spanId}-01`],
    ['a version that is not hex', `0x-${traceId}-${spanId}-01`],
    ['more fields in version 00', `${valid}-more`],
    ['more characters in version 00', `${valid}0`],
    ['more characters without a dash in a later version', `01-${traceId}-${spanId}-01.more`],
    ['a trace ID of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['a span ID of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['capital letters', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['a short trace ID', `00-${traceId.slice(1)}-${spanId}-01`],
    ['a long span ID', `00-${traceId}-${spanId}0-01`],
    ['missing flags', `00-${traceId}-${spanId}`],
    ['a repeated header, as Node joins it', `${valid}, ${valid}`],
    ['a line break after it', `${valid}\n`],
    ['a header of 513 characters', `01-${traceId}-${spanId}-01-${'a'.repeat(457)}`],
  ])('ignores %s', (_what, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });

  test('reads a header of 512 characters', () => {
    expect(parseTraceparent(`01-${traceId}-${spanId}-01-${'a'.repeat(456)}`)).toBe(valid);
  });
});

test('a stored traceparent is split into its parts', () => {
  expect(getTraceId(valid)).toBe(traceId);
  expect(getTraceId(undefined)).toBeUndefined();
  expect(splitTraceparent(valid)).toEqual({ traceId, spanId, isSampled: true });
});
