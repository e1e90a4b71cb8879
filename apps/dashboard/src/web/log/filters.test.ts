import { guessFilter, readFilters, toQuery, writeFilters } from './filters';

describe('the filters of the log', () => {
  test('are parsed from the URL as written, without unknown parameters', () => {
    const filters = { event: 'order_shipped', recipient: '+1 202', last: '1h' };
    expect(readFilters(writeFilters(filters))).toEqual(filters);
    expect(readFilters('event=a&other=b&state=')).toEqual({ event: 'a' });
  });

  test('send the start of a period to the server, rounded to the minute', () => {
    const now = Date.UTC(2025, 10, 14, 12, 5, 59);
    expect(toQuery({ last: '1h', state: 'failed' }, now)).toEqual({
      from: String(Date.UTC(2025, 10, 14, 11, 5)),
      state: 'failed',
    });
  });

  test.each([
    ['019a77f4-0168-7c44-9a53-2f6d8e10b7a9', 'requestId'],
    ['ana.ruiz@example.com', 'recipient'],
    ['+1 202-555-0123', 'recipient'],
    ['#orders-eu', 'recipient'],
    ['ship-88213', 'idempotencyKey'],
  ])('recognise %s as %s', (text, filter) => {
    expect(guessFilter(text)).toBe(filter);
  });
});
