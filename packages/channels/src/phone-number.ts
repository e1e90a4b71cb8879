import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  type PhoneNumber as ParsedNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { isPlainlyPossible } from './phone-plans';

export type PhoneNumber = { address: string; note?: string };

/**
 * Parses one number into E.164, with any common separators and prefixes, or returns the problem.
 * `region` is the app's default: numbers without `+` or `00` are parsed with their country code,
 * and as national numbers of that region too.
 */
export function parsePhoneNumber(
  input: string,
  region?: string | null,
): PhoneNumber | { problem: string } {
  const text = input.trim();
  if (text.length > maxInputCharacters) {
    return { problem: `is longer than ${maxInputCharacters} characters` };
  }
  const [bare, withoutZero] = e164.test(text) ? [text] : stripSeparators(text);
  if (!/^\+?\d+$/.test(bare)) return { problem: describeTextProblem(bare) };
  if (!/^(?:\+|00)/.test(bare)) return readDigits(bare, { text, region: toRegion(region) });
  const address =
    readWithCode(bare) ?? (withoutZero === undefined ? undefined : readWithCode(withoutZero));
  if (address === undefined) return { problem: 'is not a possible phone number' };
  return address === text ? { address } : { address, note: `"${text}" was changed to ${address}` };
}

/** Whether a text is a region with a numbering plan, as two capital letters (ISO 3166-1). */
export function isPhoneRegion(text: string): boolean {
  return isSupportedCountry(text);
}

/** A phone number that starts with + or 00 in its stored form; any other text unchanged. */
export function canonicalizeSearchedPhone(text: string): string {
  if (!/^\s*(?:(?:tel|whatsapp)\s*:\s*)?(?:\+|00)/i.test(text)) return text;
  const parsed = parsePhoneNumber(text);
  return 'address' in parsed ? parsed.address : text;
}

/**
 * The numbers that a searched text may mean, in stored form: without + or 00, with its own country
 * code and as a number of the region.
 */
export function listSearchedPhones(input: string, region?: string | null): string[] {
  const text = input.trim();
  if (text.length > maxInputCharacters) return [];
  const [bareText, withoutZero = bareText] = stripSeparators(text);
  const spellings = [bareText, withoutZero].filter((bare) => /^\+?\d{6,}$/.test(bare));
  const ownRegion = toRegion(region);
  const code = ownRegion && getCountryCallingCode(ownRegion);
  const numbers = spellings.flatMap((bare) => {
    if (/^(?:\+|00)/.test(bare)) return [bare];
    return [`+${bare}`, ...(code === undefined ? [] : [`+${code}${bare}`])];
  });
  return [...new Set(numbers.flatMap((number) => readWithCode(number) ?? []))];
}

/** The magic word of a number such as +15005550001; the first two are Twilio's own test numbers. */
export function findMagicWordOfPhone(address: string): string | undefined {
  return magicWords.get(address);
}

const maxInputCharacters = 64;
const e164 = /^\+[1-9]\d{6,14}$/;
/** A national prefix after the country code adds one digit. */
const e164WithPrefix = /^\+[1-9]\d{6,16}$/;

const magicWords = new Map([
  ['+15005550006', 'ok'],
  ['+15005550000', 'delivered'],
  ['+15005550001', 'bounce'],
  ['+15005550002', 'content'],
  ['+15005550003', 'credentials'],
  ['+15005550004', 'retry'],
  ['+15005550005', 'throttle'],
  ['+15005550007', 'timeout'],
  ['+15005550008', 'slow'],
]);

/** \p{Cf} matches the invisible marks that are copied along with a number from an address book. */
const separators = /[\s.()[\]\p{Pd}\p{Cf}]/gu;
/** The prefix that is dialled only without the country code, as in +44 (0)20. */
const nationalZero = /^((?:\+|00).*?)\(0\)/;

/** The digits and signs of a number. If it has a `(0)`, also without that. */
function stripSeparators(text: string): [bare: string, withoutZero?: string] {
  const number = text
    .normalize('NFKC')
    .replace(/^\s*(tel|whatsapp)\s*:/i, '')
    .replace(/^[\s\p{Cf}]+/u, '');
  const bare = number.replace(separators, '');
  if (!nationalZero.test(number)) return [bare];
  return [bare, number.replace(nationalZero, '$1').replace(separators, '')];
}

function toRegion(region: string | null | undefined): CountryCode | undefined {
  return region && isSupportedCountry(region) ? region : undefined;
}

/**
 * A number after + is accepted when possible: new number ranges are in use before the library knows
 * them.
 */
function readWithCode(bare: string): string | undefined {
  const number = bare.replace(/^(?:\+|00)/, '+');
  if (e164.test(number) && isPlainlyPossible(number)) return number;
  const parsed = parseWithCode(number);
  return parsed?.isPossible() ? parsed.number : undefined;
}

/** Without +, only valid numbers are accepted: almost any digits are possible in some country. */
function readDigits(
  digits: string,
  { text, region }: { text: string; region: CountryCode | undefined },
): PhoneNumber | { problem: string } {
  const code = region && getCountryCallingCode(region);
  const international = readValid(`+${digits}`);
  const national = code === undefined ? undefined : readValid(`+${code}${digits}`);
  const isOwn = international?.countryCallingCode === code;
  if (international && national && !isOwn && international.number !== national.number) {
    const [one, other] = [international, national].map(describe);
    return { problem: `is ambiguous: add + and the country code (${one} or ${other})` };
  }
  const read = international ?? national;
  if (!read) return { problem: 'is not a valid phone number: country code missing' };
  const { number: address } = read;
  return region
    ? { address, note: `"${text}" was changed to ${address}` }
    : { address, note: `"${text}" was read as ${describe(read)}; write + before the country code` };
}

function readValid(number: string): ParsedNumber | undefined {
  const parsed = parseWithCode(number);
  return parsed?.isValid() ? parsed : undefined;
}

/**
 * Removes the national prefix, if the country has one: +44 (0)20 has, and +39 06 has not. Undefined
 * when the result would parse differently the next time.
 */
function parseWithCode(number: string): ParsedNumber | undefined {
  if (!e164WithPrefix.test(number)) return undefined;
  const parsed = parsePhoneNumberFromString(number);
  if (!parsed || !e164.test(parsed.number)) return undefined;
  if (parsed.number === number) return parsed;
  return parsePhoneNumberFromString(parsed.number)?.number === parsed.number ? parsed : undefined;
}

/** For example, `+4512345678 in Denmark`. */
function describe({ number, country }: ParsedNumber): string {
  return country ? `${number} in ${countryNames.of(country) ?? country}` : number;
}

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' });

function describeTextProblem(bare: string): string {
  return bare === '' ? 'has no digit' : 'must have only digits and a leading +';
}
