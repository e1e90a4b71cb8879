import {
  defaultLocale,
  formatDate,
  formatNumber,
  getPluralCategory,
  isDate,
  isDateStyle,
  isDigits,
  isLocale,
  isZone,
  maxFractionDigits,
  pluralCategories,
  readNumber,
} from './formats';
import { maxFormatNames } from './limits';
import type { Expression, HelperName, Value } from './nodes';
import type { ParseBudget } from './parse-budget';
import { charge, chargeText, cost, type RenderBudget } from './render-budget';
import { isTruthy, toJson, toText } from './values';

export type Helper = {
  /** Its arguments, for error messages. */
  usage: string;
  minArgs: number;
  maxArgs: number;
  /**
   * Allowed named arguments; the last one is required. After the positional arguments, `call` gets the language of the
   * template, the list of names as written, and the value of each.
   */
  hashKeys?: readonly string[];
  /** Checks arguments that are literals in the template. */
  problem?: (args: readonly Expression[], budget: ParseBudget) => string | undefined;
  call: Call;
};

type Call = (args: readonly Value[], budget: RenderBudget) => Value;

const maxChoices = 16;

export const helpers: Record<HelperName, Helper> = {
  default: {
    ...describeUsage('value fallback', 2),
    call: ([value, fallback]) => (isBlank(value) ? fallback : value),
  },
  eq: { ...describeUsage('left right', 2), call: ([left, right]) => left === right },
  ne: { ...describeUsage('left right', 2), call: ([left, right]) => left !== right },
  gt: { ...describeUsage('left right', 2), call: ([left, right]) => isLess(right, left) },
  lt: { ...describeUsage('left right', 2), call: ([left, right]) => isLess(left, right) },
  and: {
    ...describeUsage('first second …', 2, maxChoices),
    call: (args) => findFirst(false, args),
  },
  or: { ...describeUsage('first second …', 2, maxChoices), call: (args) => findFirst(true, args) },
  not: { ...describeUsage('value', 1), call: ([value]) => !isTruthy(value) },
  upper: {
    ...describeUsage('text', 1),
    call: propagateMissing(([value], budget) => changeCase('toUpperCase', value, budget)),
  },
  lower: {
    ...describeUsage('text', 1),
    call: propagateMissing(([value], budget) => changeCase('toLowerCase', value, budget)),
  },
  json: { ...describeUsage('value', 1), call: ([value], budget) => toJson(value, budget) },
  number: {
    ...describeUsage("value [digits] ['locale']", 1, 3),
    problem: ([value, digits, locale], budget) =>
      findArgProblem(value, isNumber, 'value must be a number') ??
      findArgProblem(
        digits,
        isDigits,
        `digits must be a whole number from 0 to ${maxFractionDigits}`,
      ) ??
      findNamesProblem([locale], budget) ??
      findArgProblem(locale, isLocale, localeProblem, 'locale must be in quotes'),
    call: propagateMissing(([value, digits, locale], budget) =>
      formatNumber(
        value,
        { digits: readDigits(digits), locale: getWord(defaultLocale, locale) },
        budget,
      ),
    ),
  },
  date: {
    ...describeUsage("value ['style'] ['zone'] ['locale']", 1, 4),
    problem: ([value, style, zone, locale], budget) =>
      findArgProblem(value, isDate, 'value must be a date: epoch milliseconds or ISO 8601') ??
      findArgProblem(style, isDateStyle, dateStyleProblem, 'style must be in quotes') ??
      findNamesProblem([zone, locale], budget) ??
      findArgProblem(zone, isZone, 'zone must be a time zone such as Europe/Berlin') ??
      findArgProblem(locale, isLocale, localeProblem, 'locale must be in quotes'),
    call: propagateMissing(([value, style, zone, locale], budget) =>
      formatDate(
        value,
        {
          style: getWord('medium', style),
          zone: getWord('UTC', zone),
          locale: getWord(defaultLocale, locale),
        },
        budget,
      ),
    ),
  },
  length: {
    ...describeUsage('value', 1),
    call: propagateMissing(([value]) =>
      typeof value === 'string' || Array.isArray(value) ? value.length : undefined,
    ),
  },
  join: {
    ...describeUsage("list ['separator']", 1, 2),
    call: propagateMissing(([list, separator], budget) =>
      Array.isArray(list) ? joinTexts(list, toText(separator, budget) ?? ', ', budget) : list,
    ),
  },
  plural: {
    ...describeUsage('count one="…" other="…"', 1),
    hashKeys: pluralCategories,
    problem: ([count]) => findArgProblem(count, isNumber, 'count must be a number'),
    call: ([count, language, names, ...forms], budget) =>
      count === null ? null : pickForm(count, { language, names, forms }, budget),
  },
};

const localeProblem = 'locale must be a language such as en-US';
const dateStyleProblem =
  'style must be full, long, medium or short, optionally followed by a space and the style of the time';

function describeUsage(usage: string, minArgs: number, maxArgs = minArgs) {
  return { usage, minArgs, maxArgs };
}

/** For helpers that print a value: a missing value stays missing, and null stays null. */
function propagateMissing(call: Call): Call {
  return (args, budget) => {
    if (args.includes(undefined)) return undefined;
    return args[0] === null ? null : call(args, budget);
  };
}

function changeCase(
  change: 'toUpperCase' | 'toLowerCase',
  value: Value,
  budget: RenderBudget,
): string | undefined {
  const text = toText(value, budget);
  if (text === undefined) return undefined;
  // One character may become three, and converting each takes longer than copying it.
  chargeText(budget, text.length * 4);
  return text[change]();
}

/** Charges for all lengths before joining: a long separator makes a long text from a short list. */
function joinTexts(list: readonly Value[], separator: string, budget: RenderBudget): string {
  charge(budget, list.length * cost.element);
  const texts = list.map((item) => toText(item, budget) ?? '');
  let characters = Math.max(0, texts.length - 1) * separator.length;
  for (const text of texts) characters += text.length;
  chargeText(budget, characters);
  return texts.join(separator);
}

type Forms = { language: Value; names: Value; forms: readonly Value[] };

/** The form for a number in a language; `other` if its category has no form; undefined for a value that is not a number. */
function pickForm(count: Value, { language, names, forms }: Forms, budget: RenderBudget): Value {
  const category = getPluralCategory(count, { locale: String(language) }, budget);
  if (!category || !Array.isArray(names)) return undefined;
  return forms[names.indexOf(names.includes(category) ? category : 'other')];
}

function isNumber(value: Value): boolean {
  return readNumber(value) !== undefined;
}

function isBlank(value: Value): boolean {
  return value === undefined || value === null || value === '';
}

/** Compares numbers and numeric strings by value, and two strings by characters; other values have no order. */
function isLess(left: Value, right: Value): boolean {
  if (typeof left === 'string' && typeof right === 'string') return left < right;
  const [smaller, larger] = [readNumber(left), readNumber(right)];
  return smaller !== undefined && larger !== undefined && smaller < larger;
}

function findFirst(truthiness: boolean, args: readonly Value[]): Value {
  for (const value of args) if (isTruthy(value) === truthiness) return value;
  return args.at(-1);
}

/** '' for a value that is not a string: it matches no format. */
function getWord(fallback: string, value: Value): string {
  if (value === undefined || value === null) return fallback;
  return typeof value === 'string' ? value : '';
}

function readDigits(value: Value): number | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'number' ? value : Number.NaN;
}

/** An argument from the data is checked when rendering, or is a problem if it must be a literal. */
function findArgProblem(
  arg: Expression | undefined,
  isGood: (value: Value) => boolean,
  problem: string,
  notLiteralProblem?: string,
): string | undefined {
  if (!arg) return undefined;
  if (arg.kind !== 'literal') return notLiteralProblem;
  return isGood(arg.value) ? undefined : problem;
}

/** Checking a new time zone or language is slow, so their number is limited. */
function findNamesProblem(
  args: readonly (Expression | undefined)[],
  { formatNames }: ParseBudget,
): string | undefined {
  for (const arg of args) {
    if (arg?.kind === 'literal' && typeof arg.value === 'string') formatNames.add(arg.value);
  }
  return formatNames.size > maxFormatNames
    ? `a template can name at most ${maxFormatNames} different time zones and languages`
    : undefined;
}
