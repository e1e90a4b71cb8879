import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { isPlainlyPossible } from './phone-plans';

export type PhoneNumber = { address: string; note?: string };

/** One number in E.164, whatever separators and prefixes people write, or what is wrong with it. */
export function parsePhoneNumber(given: string): PhoneNumber | { problem: string } {
  const text = given.trim();
  if (text.length > maxGivenCharacters) {
    return { problem: `is longer than ${maxGivenCharacters} characters` };
  }
  const bare = e164.test(text) ? text : strip(text);
  if (!/^\+?\d+$/.test(bare)) return { problem: problemOfText(bare) };
  const address = withPlus(bare);
  if (!e164.test(address) || !isPossible(address)) return { problem: withoutCountry };
  return address === text ? { address } : { address, note: `"${text}" is sent to as ${address}` };
}

/** The word of a number such as +15005550001; the first two are those of Twilio's own test numbers. */
export function findMagicWordOfPhone(address: string): string | undefined {
  return magicWords.get(address);
}

const maxGivenCharacters = 64;
const e164 = /^\+[1-9]\d{6,14}$/;
const withoutCountry = 'is not a possible phone number: country code missing?';

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

/** \p{Cf} are the invisible marks that come along when a number is copied out of a contact. */
const separators = /[\s.()[\]\p{Pd}\p{Cf}]/gu;
/** The prefix that is dialled only without the country code, as in +44 (0)20. */
const nationalZero = /^((?:\+|00).*?)\(0\)/;

function strip(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/^\s*(tel|whatsapp)\s*:/i, '')
    .replace(/^[\s\p{Cf}]+/u, '')
    .replace(nationalZero, '$1')
    .replace(separators, '');
}

function withPlus(bare: string): string {
  if (bare.startsWith('+')) return bare;
  return bare.startsWith('00') ? `+${bare.slice(2)}` : `+${bare}`;
}

function isPossible(address: string): boolean {
  return isPlainlyPossible(address) || (parsePhoneNumberFromString(address)?.isPossible() ?? false);
}

function problemOfText(bare: string): string {
  return bare === '' ? 'holds no digit' : 'holds more than digits and a leading +';
}
