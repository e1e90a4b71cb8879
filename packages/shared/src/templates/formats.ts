import { canonicalizeLocale } from '../choose-locale';
import type { Value } from './nodes';
import { charge, cost, type RenderBudget } from './render-budget';

export type DateFormat = { style: string; zone: string; locale: string };
export type NumberFormat = { digits: number | undefined; locale: string };
export type PluralRules = { locale: string };

/** The plural categories of CLDR (Unicode Technical Standard 35, part 3). */
export const pluralCategories = ['zero', 'one', 'two', 'few', 'many', 'other'] as const;
export type PluralCategory = (typeof pluralCategories)[number];

/** Formats a date with Intl; undefined if the value is not a date or the format does not exist. */
export function formatDate(
  value: Value,
  format: DateFormat,
  budget: RenderBudget,
): string | undefined {
  const date = readDate(value);
  if (!date) return undefined;
  // A longer name would be kept as the key of a formatter.
  if (format.zone.length > maxNameCharacters) return undefined;
  // A date without a time is the same day in every zone.
  const zone = date.isDay ? 'UTC' : format.zone;
  const intl = dateFormats.get({ ...format, zone }, budget);
  return intl && replaceNarrowSpaces(intl.format(date.ms));
}

export function formatNumber(
  value: Value,
  format: NumberFormat,
  budget: RenderBudget,
): string | undefined {
  const number = readNumber(value);
  if (number === undefined) return undefined;
  const intl = numberFormats.get(format, budget);
  return intl && replaceNarrowSpaces(intl.format(number));
}

/** By CLDR's rules for numbers such as 1 or 1.5; undefined if the value is not a number. */
export function getPluralCategory(
  value: Value,
  rules: PluralRules,
  budget: RenderBudget,
): PluralCategory | undefined {
  const number = readNumber(value);
  if (number === undefined) return undefined;
  // A language without rules has one form, as CLDR's root. Intl would use the rules of the machine's language.
  return pluralRules.get(rules, budget)?.select(number) ?? 'other';
}

export function isDate(value: Value): boolean {
  return readDate(value) !== undefined;
}

/** A style of the date, optionally followed by a space and a style of the time; "none" omits the date. */
export function isDateStyle(style: Value): boolean {
  return typeof style === 'string' && stylePattern.test(style);
}

export const isZone = memoizeNameCheck(
  (zone) => createDateFormat({ style: 'short', zone, locale: defaultLocale }) !== undefined,
);

export const isLocale = memoizeNameCheck((locale) => {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale).length === 1;
  } catch {
    return false;
  }
});

export function isDigits(digits: Value): boolean {
  return (
    typeof digits === 'number' &&
    Number.isInteger(digits) &&
    digits >= 0 &&
    digits <= maxFractionDigits
  );
}

/** A finite number, or a string that contains one. */
export function readNumber(value: Value): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' && numberPattern.test(value) ? Number(value) : undefined;
}

export const defaultLocale = 'en-US';
export const maxFractionDigits = 20;

const numberPattern = /^[+-]?\d{1,30}(?:\.\d{1,30})?$/;
const stylePattern = /^(?:(full|long|medium|short)|none(?= ))(?: (full|long|medium|short))?$/;

const dateFormats = createFormats(createDateFormat, cost.date);
const numberFormats = createFormats(createNumberFormat, cost.number);
const pluralRules = createFormats(createPluralRules, cost.plural);

/** Creating a formatter takes about 100 times as long as using it. So formatters are cached, and charged when created. */
function createFormats<Format extends DateFormat | NumberFormat | PluralRules, Intl>(
  create: (format: Format) => Intl | undefined,
  costOfUse: number,
) {
  const cache = new Map<string, Intl>();

  return {
    get(format: Format, budget: RenderBudget): Intl | undefined {
      charge(budget, costOfUse);
      const key = Object.values(format).join('|');
      const cached = cache.get(key);
      if (cached) return cached;

      charge(budget, cost.newFormat);
      const newFormat = create(format);
      if (!newFormat) return undefined;
      if (cache.size >= maxKeptFormats) cache.clear();
      cache.set(key, newFormat);
      return newFormat;
    },
  };
}

const maxKeptFormats = 100;

/** The longest name of a time zone has 32 characters. */
const maxNameCharacters = 64;
const maxKeptNames = 200;

/** Intl takes about 0.1 ms to check a name, so results are cached. */
function memoizeNameCheck(isValidName: (name: string) => boolean): (name: Value) => boolean {
  const cache = new Map<string, boolean>();
  return (name) => {
    if (typeof name !== 'string' || name.length > maxNameCharacters) return false;
    const isValid = cache.get(name) ?? isValidName(name);
    if (cache.size >= maxKeptNames) cache.clear();
    cache.set(name, isValid);
    return isValid;
  };
}

function createDateFormat({ style, zone, locale }: DateFormat): Intl.DateTimeFormat | undefined {
  const [, day, time] = stylePattern.exec(style) ?? [];
  const dateStyle = styles.get(day);
  const timeStyle = styles.get(time);
  if (!dateStyle && !timeStyle) return undefined;
  try {
    return new Intl.DateTimeFormat(locale, {
      timeZone: zone,
      ...(dateStyle && { dateStyle }),
      ...(timeStyle && { timeStyle }),
    });
  } catch {
    return undefined;
  }
}

const styles = new Map<string | undefined, 'full' | 'long' | 'medium' | 'short'>([
  ['full', 'full'],
  ['long', 'long'],
  ['medium', 'medium'],
  ['short', 'short'],
]);

function createNumberFormat({ digits, locale }: NumberFormat): Intl.NumberFormat | undefined {
  try {
    return new Intl.NumberFormat(locale, {
      signDisplay: 'negative',
      ...(digits !== undefined && {
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      }),
    });
  } catch {
    return undefined;
  }
}

function createPluralRules({ locale }: PluralRules): Intl.PluralRules | undefined {
  const tag = canonicalizeLocale(locale);
  const isSupported = tag !== undefined && Intl.PluralRules.supportedLocalesOf(tag).length > 0;
  return isSupported ? new Intl.PluralRules(tag) : undefined;
}

/** Intl's narrow spaces would turn one SMS into two. */
function replaceNarrowSpaces(text: string): string {
  return text.replace(/[\u00a0\u202f]/g, ' ');
}

type ReadDate = { ms: number; isDay: boolean };

function readDate(value: Value): ReadDate | undefined {
  if (typeof value === 'string') return readIsoDate(value);
  if (typeof value !== 'number') return undefined;
  return Math.abs(value) <= maxEpochMs ? { ms: value, isDay: false } : undefined;
}

const maxEpochMs = 8.64e15;

function readIsoDate(text: string): ReadDate | undefined {
  const [, day, time, zone] = isoPattern.exec(text) ?? [];
  if (day === undefined) return undefined;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // Date.parse reads 30 February as a day in March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) {
    return undefined;
  }
  if (time === undefined) return { ms: midnight, isDay: true };
  const ms = Date.parse(`${day}T${time}${zone?.toUpperCase() ?? 'Z'}`);
  return Number.isNaN(ms) ? undefined : { ms, isDay: false };
}

const isoPattern =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ]([0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)([Zz]|[+-]\d\d:?[0-5]\d)?)?$/;
