import { findUnicodeCause, formatMeasure, measureSms } from './measure';

describe('the key figure of a preview', () => {
  test.each<[string, object, object, string]>([
    ['sms', { text: 'Hello' }, { segments: 1, encoding: 'GSM-7' }, '1 segment, GSM-7, 5 of 160'],
    [
      'sms',
      { text: 'é'.repeat(71) },
      { segments: 2, encoding: 'UCS-2' },
      '2 segments, UCS-2, 71 of 134',
    ],
    ['sms', { text: 'Hello' }, {}, '5 characters'],
    ['email', { html: 'x'.repeat(2_048) }, {}, '2 KB'],
    ['email', { html: 'x'.repeat(200_000) }, {}, '195.3 KB, Gmail cuts at 102 KB'],
    ['whatsapp', { kind: 'template', name: 'order_update' }, {}, 'template order_update'],
    ['whatsapp', { kind: 'text', text: 'Hello' }, {}, '5 characters'],
    ['slack', { text: 'Hello' }, {}, 'text'],
    ['slack', { blocks: [{}, {}] }, {}, '2 blocks of 50'],
    ['push', { title: 'Hello' }, { bytes: 312 }, '312 of 4,096 bytes'],
    ['onesignal', { title: 'é' }, {}, '14 of 4,096 bytes'],
    ['later_channel', {}, {}, ''],
  ])('of %s %j %j is "%s"', (channel, fields, notes, expected) => {
    expect(formatMeasure(channel, { ...fields }, { ...notes })).toBe(expected);
  });

  test('counts characters of two septets twice', () => {
    expect(measureSms('€{}', 1, 'GSM-7')).toEqual({ used: 6, capacity: 160 });
  });

  test.each([
    ['“ (U+201C)', { character: '“', name: 'U+201C' }],
    ['🇩🇪 (U+1F1E9 U+1F1EA)', { character: '🇩🇪', name: 'U+1F1E9 U+1F1EA' }],
    ['', undefined],
  ])('finds in the note %j the character that requires Unicode', (note, cause) => {
    expect(findUnicodeCause({ unicode_because_of: note })).toEqual(cause);
  });
});
