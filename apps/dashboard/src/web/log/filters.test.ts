import { readFilterParams, readFilters, toQuery, writeFilters } from './filters';

describe('the filters of the log', () => {
  test('are parsed from the URL as written, without unknown parameters', () => {
    const filters = { event: 'order_shipped', recipient: '+1 202', last: '1h', integration: 'a b' };
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
    ['from=abc', 'a start time that is not a time'],
    ['to=abc', 'an end time that is not a time'],
    ['to=99999999999999999999', 'an end time that is not a time'],
    ['from=-1', 'a start time that is not a time'],
    ['last=5y', 'an unknown period'],
    ['state=bogus', 'an unknown state'],
    ['waits=bogus', 'an unknown reason for waiting'],
    ['reason=bogus', 'an unknown failure or skip reason'],
    ['requestId=7', 'a request ID that is not an ID'],
    ['requestID=7', 'an unknown parameter “requestID”'],
  ])('ignore %s in a link and say so', (search, problem) => {
    expect(readFilterParams(`event=a&${search}`)).toEqual({
      filters: { event: 'a' },
      ignored: [`The link had ${problem}; it was ignored.`],
    });
  });
});
