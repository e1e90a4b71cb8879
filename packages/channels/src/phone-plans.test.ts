import fc from 'fast-check';
import {
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { isPlainlyPossible } from './phone-plans';

const codes = [...new Set(getCountries().map((country) => getCountryCallingCode(country)))];

describe('isPlainlyPossible', () => {
  test.each(['+12025550123', '+447911123456', '+4915112345678', '+33612345678', '+919812345678'])(
    'accepts %s without the library',
    (address) => {
      expect(isPlainlyPossible(address)).toBe(true);
    },
  );

  test.each(['+1202555', '+11202555012', '+999123456789', '+80012345678'])(
    'leaves %s to the library',
    (address) => {
      expect(isPlainlyPossible(address)).toBe(false);
    },
  );

  test('accepts no number that the library refuses or reads as another number', () => {
    const numbers = fc.tuple(fc.constantFrom(...codes), fc.stringMatching(/^\d{4,12}$/));
    fc.assert(
      fc.property(numbers, ([code, national]) => {
        const address = `+${code}${national}`;
        if (!isPlainlyPossible(address)) return;
        const parsed = parsePhoneNumberFromString(address);
        expect(parsed?.isPossible()).toBe(true);
        expect(parsed?.number).toBe(address);
      }),
      { numRuns: 20_000 },
    );
  });

  test('accepts most numbers of countries whose prefixes are known', () => {
    const checkableCodes = codes.filter((code) =>
      [7, 8, 9, 10, 11].some((length) => isPlainlyPossible(`+${code}${'2'.repeat(length)}`)),
    );
    expect(checkableCodes.length).toBeGreaterThan(codes.length / 2);
  });
});
