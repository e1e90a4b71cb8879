import fc from 'fast-check';
import { findMagicWordOfPhone, parsePhoneNumber } from './phone-number';

describe('parsePhoneNumber', () => {
  test.each([
    ['+4512345678', '+4512345678'],
    // logto-io/logto#8377, unacms/UNA#2131
    ['4512345678', '+4512345678'],
    ['004512345678', '+4512345678'],
    ['0045 12 34 56 78', '+4512345678'],
    ['+1 500 555 0006', '+15005550006'],
    ['+1 (500) 555-0006', '+15005550006'],
    ['+1.500.555.0006', '+15005550006'],
    ['+1\u00a0500\u202f555\u20110006', '+15005550006'],
    ['\u202a+15005550006\u202c', '+15005550006'],
    ['＋１５００５５５０００６', '+15005550006'],
    ['tel:+15005550006', '+15005550006'],
    ['TEL: +1 500 555 0006', '+15005550006'],
    ['whatsapp:+15005550006', '+15005550006'],
    [' +15005550006\r\n', '+15005550006'],
    ['+44 (0)20 7946 0958', '+442079460958'],
    ['0044 (0)20 7946 0958', '+442079460958'],
    ['+39 06 1234 5678', '+390612345678'],
    ['+2901234', '+2901234'],
    ['+491234567890123', '+491234567890123'],
  ])('takes %j as %s', (given, address) => {
    expect(parsePhoneNumber(given)).toMatchObject({ address });
  });

  test('notes what it changed, and only that', () => {
    expect(parsePhoneNumber('0045 12345678')).toEqual({
      address: '+4512345678',
      note: '"0045 12345678" is sent to as +4512345678',
    });
    expect(parsePhoneNumber('+4512345678')).toEqual({ address: '+4512345678' });
  });

  test.each([
    ['07911 123456', 'country code missing?'],
    ['415 555 0100', 'country code missing?'],
    ['+0123456789', 'country code missing?'],
    ['+999123456789', 'country code missing?'],
    ['12345', 'country code missing?'],
    ['+4912', 'country code missing?'],
    ['+1234567890123456', 'country code missing?'],
    ['000', 'country code missing?'],
    ['', 'no digit'],
    ['tel:', 'no digit'],
    [' - ', 'no digit'],
    ['1-800-FLOWERS', 'more than digits'],
    ['+15005550006;ext=1', 'more than digits'],
    ['+15005550006,+15005550007', 'more than digits'],
    ['+1500555\u00000006', 'more than digits'],
    ['++15005550006', 'more than digits'],
    ['1500+5550006', 'more than digits'],
    ['٤٥١٢٣٤٥٦٧٨', 'more than digits'],
    ['[object Object]', 'more than digits'],
    ['1'.repeat(65), 'longer than 64'],
  ])('refuses %j and says why', (given, problem) => {
    expect(parsePhoneNumber(given)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test('gives E.164 or a problem, whatever is given, and keeps what it gave', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 40 }),
          fc.stringMatching(/^(\+|00)?[0-9 ().-]{5,20}$/),
        ),
        (given) => {
          const parsed = parsePhoneNumber(given);
          if ('problem' in parsed) return;
          expect(parsed.address).toMatch(/^\+[1-9]\d{6,14}$/);
          expect(parsePhoneNumber(parsed.address)).toEqual({ address: parsed.address });
        },
      ),
    );
  });
});

test.each([
  ['+15005550006', 'ok'],
  ['+15005550001', 'bounce'],
  ['+15005550009', undefined],
  ['+4512345678', undefined],
  ['constructor', undefined],
])('the magic word of %s is %s', (address, word) => {
  expect(findMagicWordOfPhone(address)).toBe(word);
});
