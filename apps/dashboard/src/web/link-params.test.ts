import { readAuditFilters } from './audit/filters';
import { readCaptureParams } from './sandbox/capture-filters';
import { readVersionPlace } from './versions/version-place';

const id = '019a77f4-0168-7c44-9a53-2f6d8e10b7a9';

describe('a link with wrong parameters', () => {
  test.each([
    ['from=abc', 'a start time that is not a time'],
    ['to=99999999999999999999', 'an end time that is not a time'],
    ['operator=ana', 'an operator that is not an ID'],
    ['app=shop', 'an app that is not an ID'],
    ['action=bogus', 'an unknown action'],
    ['last=15m', 'an unknown period'],
    ['constructor=x', 'an unknown parameter “constructor”'],
  ])('opens the audit log without %s, and says so', (search, problem) => {
    expect(readAuditFilters(`${search}&operator=none&action=key.created&last=30d`)).toEqual({
      filters: { operator: 'none', action: 'key.created', last: '30d' },
      ignored: [`The link had ${problem}; it was ignored.`],
    });
  });

  test('opens the sandbox without them, and says which were ignored', () => {
    expect(readCaptureParams('channel=sms&tab=source&colour=red&event=')).toEqual({
      values: { channel: 'sms', tab: 'source' },
      ignored: ['The link had an unknown parameter “colour”; it was ignored.'],
    });
  });

  test.each([
    ['', undefined, 0],
    ['version=', undefined, 0],
    ['version=abc', undefined, 1],
    [`version=${id}&against=1`, { version: id, against: undefined }, 1],
    [`version=draft&against=${id}`, { version: 'draft', against: id }, 0],
  ])('opens an event: ?%s', (search, place, ignored) => {
    const read = readVersionPlace(search);
    expect([read.place, read.ignored.length]).toEqual([place, ignored]);
  });
});
