import fc from 'fast-check';
import {
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import {
  canonicalizeSearchedPhone,
  findMagicWordOfPhone,
  listSearchedPhones,
  parsePhoneNumber,
} from './phone-number';

const region = fc.constantFrom(...getCountries());

describe('parsePhoneNumber', () => {
  test.each([
    ['+4512345678', '+4512345678'],
    // logto-io/logto#8377, unacms/UNA#2131
    ['4520123456', '+4520123456'],
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
    ['+44020 7946 0958', '+442079460958'],
    ['+49 (0)30 123456', '+4930123456'],
    ['+49030123456', '+4930123456'],
    ['+39 06 1234 5678', '+390612345678'],
    ['+39 (0)6 1234 5678', '+390612345678'],
    // Numbers there have no leading zero.
    ['+34 (0)912 345 678', '+34912345678'],
    // Part of every number since 2021.
    ['+225 07 12 34 56 78', '+2250712345678'],
    ['+2901234', '+2901234'],
    ['+491234567890123', '+491234567890123'],
  ])('accepts %j as %s', (input, address) => {
    expect(parsePhoneNumber(input)).toMatchObject({ address });
  });

  test('notes each change, and nothing else', () => {
    expect(parsePhoneNumber('0045 12345678')).toEqual({
      address: '+4512345678',
      note: '"0045 12345678" was changed to +4512345678',
    });
    expect(parsePhoneNumber('+4512345678')).toEqual({ address: '+4512345678' });
  });

  test.each([
    ['07911 123456', 'country code missing'],
    ['415 555 0100', 'country code missing'],
    // A US number that is as long as an Egyptian one.
    ['2025550123', 'country code missing'],
    ['12345', 'country code missing'],
    ['+0123456789', 'not a possible phone number'],
    ['+999123456789', 'not a possible phone number'],
    ['+4912', 'not a possible phone number'],
    ['+1234567890123456', 'not a possible phone number'],
    ['+4900301234567', 'not a possible phone number'],
    ['000', 'not a possible phone number'],
    ['', 'no digit'],
    ['tel:', 'no digit'],
    [' - ', 'no digit'],
    ['1-800-FLOWERS', 'only digits'],
    ['+15005550006;ext=1', 'only digits'],
    ['+15005550006,+15005550007', 'only digits'],
    ['+1500555\u00000006', 'only digits'],
    ['++15005550006', 'only digits'],
    ['1500+5550006', 'only digits'],
    ['٤٥١٢٣٤٥٦٧٨', 'only digits'],
    ['[object Object]', 'only digits'],
    ['1'.repeat(65), 'longer than 64'],
  ])('refuses %j with the reason', (input, problem) => {
    expect(parsePhoneNumber(input)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test('returns E.164 or a problem for any input, and its results parse to themselves', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 40 }),
          fc.stringMatching(/^(\+|00)?[0-9 ().-]{5,20}$/),
        ),
        fc.option(region),
        (input, defaultRegion) => {
          const parsed = parsePhoneNumber(input, defaultRegion);
          if ('problem' in parsed) return;
          expect(parsed.address).toMatch(/^\+[1-9]\d{6,14}$/);
          expect(parsePhoneNumber(parsed.address)).toEqual({ address: parsed.address });
          expect(parsePhoneNumber(parsed.address, 'US')).toEqual({ address: parsed.address });
        },
      ),
    );
  });
});

describe('digits without + or 00', () => {
  test('note the country that was assumed, when the app has no default region', () => {
    expect(parsePhoneNumber('45 20 12 34 56')).toEqual({
      address: '+4520123456',
      note: '"45 20 12 34 56" was read as +4520123456 in Denmark; write + before the country code',
    });
  });

  test.each([
    ['US', '2025550123', '+12025550123'],
    ['US', '(202) 555-0123', '+12025550123'],
    ['US', '1 202 555 0123', '+12025550123'],
    ['CA', '12025550123', '+12025550123'],
    ['DE', '030 123456', '+4930123456'],
    ['DE', '0151 12345678', '+4915112345678'],
    ['GB', '020 7946 0958', '+442079460958'],
    ['IT', '06 1234 5678', '+390612345678'],
    ['FR', '0612345678', '+33612345678'],
    // A number with the region's country code wins, even if it could be a national one.
    ['DE', '4930123456', '+4930123456'],
    // Not a valid number in France.
    ['FR', '4520123456', '+4520123456'],
    ['DE', '+33 6 12 34 56 78', '+33612345678'],
    ['US', '0045 20 12 34 56', '+4520123456'],
  ])('are read in %s: %s is %s', (defaultRegion, input, address) => {
    expect(parsePhoneNumber(input, defaultRegion)).toEqual({
      address,
      note: `"${input}" was changed to ${address}`,
    });
  });

  test('are ambiguous when they are valid in two countries', () => {
    const parsed = parsePhoneNumber('3545678901', 'US');
    expect(parsed).toEqual({ problem: expect.stringContaining('is ambiguous: add +') });
    expect(parsed).toEqual({ problem: expect.stringMatching(/\+\d+ in .* or \+1\d+/) });
  });

  test('get the same result as from the library’s own parsing', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[1-9]\d{6,13}$/), region, (digits, defaultRegion) => {
        const parsed = parsePhoneNumber(digits, defaultRegion);
        const expected = chooseReading(digits, getCountryCallingCode(defaultRegion));
        if (expected === 'ambiguous') {
          expect(parsed).toEqual({ problem: expect.stringContaining('is ambiguous: add +') });
        } else expect('address' in parsed ? parsed.address : undefined).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
  });
});

function chooseReading(digits: string, code: string): string | undefined {
  const [international, national] = [`+${digits}`, `+${code}${digits}`].map(readByLibrary);
  if (!international || !national || international === national) return international ?? national;
  return international.startsWith(`+${code}`) ? international : 'ambiguous';
}

describe('canonicalizeSearchedPhone', () => {
  test.each([
    ['+49 (0)30 123456', '+4930123456'],
    [' 0045 20123456', '+4520123456'],
    ['tel:+4520123456', '+4520123456'],
    ['+nobody', '+nobody'],
    ['2025550123', '2025550123'],
    ['ana@example.com', 'ana@example.com'],
  ])('%j is searched as %s', (text, canonicalPhone) => {
    expect(canonicalizeSearchedPhone(text)).toBe(canonicalPhone);
  });
});

describe('listSearchedPhones', () => {
  test.each([
    ['+1 202-555-0101', null, ['+12025550101']],
    ['00 1 (202) 555 0101', 'DE', ['+12025550101']],
    ['tel:+44 (0)20 7946 0018', null, ['+442079460018']],
    ['202 555 0101', 'US', ['+2025550101', '+12025550101']],
    ['030 765432', 'DE', ['+4930765432']],
    ['ana@example.com', 'DE', []],
    ['u_10001', 'US', []],
    ['1', 'US', []],
  ])('reads %j in %s as %j', (text, region, phones) => {
    expect(listSearchedPhones(text, region)).toEqual(phones);
  });
});

/** The library's number, if valid and stable when parsed again. */
function readByLibrary(number: string): string | undefined {
  const parsed = parsePhoneNumberFromString(number);
  if (!parsed?.isValid() || !/^\+[1-9]\d{6,14}$/.test(parsed.number)) return undefined;
  const again = parsePhoneNumberFromString(parsed.number);
  return again?.number === parsed.number ? parsed.number : undefined;
}

test.each([
  ['+15005550006', 'ok'],
  ['+15005550001', 'bounce'],
  ['+15005550009', undefined],
  ['+4512345678', undefined],
  ['constructor', undefined],
])('the magic word of %s is %s', (address, word) => {
  expect(findMagicWordOfPhone(address)).toBe(word);
});
