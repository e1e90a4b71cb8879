import type { Notes } from '../channel';

/** How a text goes over the air: what it costs, and the first character that makes it cost more. */
export function describeEncoding(text: string): Notes {
  if (singleSeptets.test(text)) {
    return { encoding: 'GSM-7', segments: countOfSingleSeptets(text.length) };
  }
  const { SegmentedMessage } = loadCalculator();
  const message = new SegmentedMessage(text, 'auto');
  const [cause] = message.getNonGsmCharacters();
  return {
    encoding: message.encodingName,
    segments: message.segmentsCount,
    ...(cause ? { unicode_because_of: nameOf(cause) } : {}),
  };
}

/** The text with plain characters where typographic ones stand, as Twilio's smart encoding does it. */
export function toPlainCharacters(text: string): string {
  if (singleSeptets.test(text)) return text;
  const { SegmentedMessage } = loadCalculator();
  return new SegmentedMessage(text, 'auto', true).graphemes.join('');
}

/**
 * The calculator takes milliseconds a text, more than all the rest of a message; most texts hold only characters
 * that are one septet each, and need no more than a division.
 */
const singleSeptets = /^[\nA-Za-z0-9 !"#$%&'()*+,\-./:;<=>?@_]*$/;
const septetsOfOne = 160;
const septetsOfMany = 153;

function countOfSingleSeptets(length: number): number {
  return length <= septetsOfOne ? 1 : Math.ceil(length / septetsOfMany);
}

/** Loaded with the first text that needs it: only workers of this channel do. */
function loadCalculator(): typeof import('sms-segments-calculator') {
  return require('sms-segments-calculator');
}

function nameOf(grapheme: string): string {
  const points = [...grapheme].map(
    (character) =>
      `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  return `${grapheme} (${points.join(' ')})`;
}
