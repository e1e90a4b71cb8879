import { readCaptureParams } from './sandbox/capture-filters';
import { readVersionPlace } from './versions/version-place';

const id = '019a77f4-0168-7c44-9a53-2f6d8e10b7a9';

describe('a link with wrong parameters', () => {
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
