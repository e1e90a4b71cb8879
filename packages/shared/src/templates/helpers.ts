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
  /** Its arguments, for refusals. */
  usage: string;
  minArgs: number;
  maxArgs: number;
  /**
   * The names that its named values may have; the last one is required. Behind the other arguments, `call` gets the
   * language of the template, the list of names as written, and the value of each.
   */
  hashKeys?: readonly string[];
  /** What is wrong with arguments that are written out in the template. */
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
      findArgProblem(value, isNumber, 'no number') ??
      findArgProblem(digits, isDigits, `no count of digits from 0 to ${maxFractionDigits}`) ??
      findNamesProblem([locale], budget) ??
      findArgProblem(locale, isLocale, 'no language, such as en-US', 'fixed'),
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
      findArgProblem(value, isDate, 'no date: write epoch milliseconds or ISO 8601') ??
      findArgProblem(style, isDateStyle, dateStyleProblem, 'fixed') ??
      findNamesProblem([zone, locale], budget) ??
      findArgProblem(zone, isZone, 'no time zone, such as Europe/Berlin') ??
      findArgProblem(locale, isLocale, 'no language, such as en-US', 'fixed'),
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
    problem: ([count]) => findArgProblem(count, isNumber, 'no number'),
    call: ([count, language, names, ...forms], budget) =>
      count === null ? null : pickForm(count, { language, names, forms }, budget),
  },
};

const dateStyleProblem =
  'no style: write full, long, medium or short, and after a space the same for the time';

function describeUsage(usage: string, minArgs: number, maxArgs = minArgs) {
  return { usage, minArgs, maxArgs };
}

/** For helpers that print a value: what is missing stays missing, and null stays null. */
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
  // One character may become three, and looking each up takes longer than copying it.
  chargeText(budget, text.length * 4);
  return text[change]();
}

/** Every length is known before anything is joined: a long separator makes a long text of a short list. */
function joinTexts(list: readonly Value[], separator: string, budget: RenderBudget): string {
  charge(budget, list.length * cost.element);
  const texts = list.map((item) => toText(item, budget) ?? '');
  let characters = Math.max(0, texts.length - 1) * separator.length;
  for (const text of texts) characters += text.length;
  chargeText(budget, characters);
  return texts.join(separator);
}

type Forms = { language: Value; names: Value; forms: readonly Value[] };

/** The form of a number in a language, `other` where the category has none; nothing for what is not a number. */
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

/** Numbers and texts of numbers by value, two texts by their characters; anything else has no order. */
function isLess(left: Value, right: Value): boolean {
  if (typeof left === 'string' && typeof right === 'string') return left < right;
  const [smaller, larger] = [readNumber(left), readNumber(right)];
  return smaller !== undefined && larger !== undefined && smaller < larger;
}

function findFirst(truthiness: boolean, args: readonly Value[]): Value {
  for (const value of args) if (isTruthy(value) === truthiness) return value;
  return args.at(-1);
}

/** What is no word is no format either. */
function getWord(fallback: string, value: Value): string {
  if (value === undefined || value === null) return fallback;
  return typeof value === 'string' ? value : '';
}

function readDigits(value: Value): number | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'number' ? value : Number.NaN;
}

/** An argument that comes from the data is judged when it is there, unless it must be fixed. */
function findArgProblem(
  arg: Expression | undefined,
  isGood: (value: Value) => boolean,
  problem: string,
  isFixed?: 'fixed',
): string | undefined {
  if (!arg) return undefined;
  if (arg.kind !== 'literal') return isFixed && 'must be written in quotes';
  return isGood(arg.value) ? undefined : `is ${problem}`;
}

/** Each new time zone or language is tried out, which takes long: there may be so many of them. */
function findNamesProblem(
  args: readonly (Expression | undefined)[],
  { formatNames }: ParseBudget,
): string | undefined {
  for (const arg of args) {
    if (arg?.kind === 'literal' && typeof arg.value === 'string') formatNames.add(arg.value);
  }
  return formatNames.size > maxFormatNames
    ? `a template names at most ${maxFormatNames} different time zones and languages`
    : undefined;
}
