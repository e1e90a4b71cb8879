import { helperNames } from '@belfry/shared';
import type { Random } from '../chaos/random';

type HelperName = (typeof helperNames)[number];

const texts = ['text', 'sep', 'name', 'wide.k1', '"x"'];
const lists = ['list', 'rows', 'items', 'wide', '@root.list', '../list'];
const numbers = ['n', 'this', '@index', '../n', '12345.678', 'list.length'];
const dates = ['at', 'this', '"2026-01-01T00:00:00Z"', '1767225600000'];
const absent = ['x.y', 'x.y.z.a.b.c', 'items.x', '../../x', '@root.x', `deep${'.a'.repeat(28)}`];
const paths = [...texts, ...lists, ...numbers, ...dates, ...absent, 'this', 'deep', '@root'];
const styles = ['full', 'long', 'medium', 'short'];
const zones = Intl.supportedValuesOf('timeZone');
const languages = ['en', 'de', 'fr', 'ar-EG', 'hi', 'th', 'ja', 'fa', 'he', 'zh-TW', 'bn', 'my'];
const numberings = Intl.supportedValuesOf('numberingSystem');
const calendars = Intl.supportedValuesOf('calendar');
const mostArguments = 16;
const mostLevels = 6;

/** One tag or block. It is valid by construction: only its cost is tested. */
export function createPiece(random: Random): string {
  return random.pick(pieces)(random);
}

/** A tag that calls that helper. */
export function createHelperPiece(name: HelperName, random: Random): string {
  return `{{${createHelperCall(name, random, 1)}}}`;
}

const pieces: readonly ((random: Random) => string)[] = [
  (random) => `{{${createCall(random, mostLevels)}}}`,
  (random) => `{{${createCall(random, 1)}}}`,
  (random) => `{{${random.pick(paths.filter((path) => !path.startsWith('"')))}}}`,
  (random) => `{{#each ${random.pick(lists)}}}${createBody(random, 2)}{{/each}}`,
  (random) =>
    `{{#each ${random.pick(lists)}}}{{#each ${random.pick(lists)}}}${createBody(random, 1)}{{/each}}{{/each}}`,
  (random) => `{{#if (${createCall(random, 3)})}}${createBody(random, 2)}{{else}}-{{/if}}`,
  (random) => `{{#with deep}}${createBody(random, 2)}{{/with}}`,
  // A report of missing paths lists every path of the expression.
  (random) => `{{#each list}}{{or ${listAbsent(random)}}}{{/each}}`,
  (random) => `{{or ${listAbsent(random)}}}`,
  (random) => `{{default x.y "${'z'.repeat(random.between(1, 20_000))}"}}`,
  () => `{{and ${Array(mostArguments).fill('(join list sep)').join(' ')}}}`,
  (random) => `{{join list (join list (join list ${random.pick(texts)}))}}`,
  (random) =>
    `{{upper (upper (lower ${random.pick(texts)}))}}${'text '.repeat(random.between(0, 50))}`,
];

function createBody(random: Random, levels: number): string {
  const kind = random.next();
  if (kind < 0.2) return '';
  if (kind < 0.4) return 'x'.repeat(random.between(1, 100));
  if (kind < 0.6) return `{{${random.pick(['this', '@index', '@root.text', 'name', '../x'])}}}`;
  return `{{${createCall(random, levels)}}}`;
}

/** All different, so that a list of them grows. */
function listAbsent(random: Random): string {
  const from = random.between(0, 100_000);
  return Array.from({ length: mostArguments }, (_, index) => `m${from + index}.x`).join(' ');
}

/** A helper with its arguments, without brackets around it. */
function createCall(random: Random, levels: number): string {
  return createHelperCall(random.pick(helperNames), random, levels);
}

function createHelperCall(name: HelperName, random: Random, levels: number): string {
  return [name, ...helperArguments[name](random, levels)].join(' ');
}

type Arguments = (random: Random, levels: number) => string[];

const two: Arguments = (random, levels) => [argument(random, levels), argument(random, levels)];
const many: Arguments = (random, levels) =>
  Array.from({ length: random.between(2, mostArguments) }, () => argument(random, levels));
const one: Arguments = (random, levels) => [argument(random, levels)];
const oneText: Arguments = (random, levels) => [argument(random, levels, texts)];

/** How each helper is called. A helper that is missing here is a type error. */
const helperArguments: Record<HelperName, Arguments> = {
  default: two,
  eq: two,
  ne: two,
  gt: two,
  lt: two,
  and: many,
  or: many,
  not: one,
  upper: oneText,
  lower: oneText,
  json: one,
  length: one,
  number: (random, levels) => {
    const digits = String(random.between(0, 20));
    return [argument(random, levels, numbers), digits, quote(createLocale(random))];
  },
  date: (random, levels) => {
    const style = quote(`${random.pick(styles)} ${random.pick(styles)}`);
    const zone = quote(random.pick(zones));
    return [argument(random, levels, dates), style, zone, quote(createLocale(random))];
  },
  join: (random, levels) => [argument(random, levels, lists), argument(random, levels, texts)],
  plural: (random, levels) => {
    const forms = ['zero', 'one', 'two', 'few', 'many'].filter(() => random.chance(0.5));
    return [
      argument(random, levels, numbers),
      ...[...forms, 'other'].map((form) => `${form}=${argument(random, levels, texts)}`),
    ];
  },
};

/** A path or literal, or a call in brackets. */
function argument(random: Random, levels: number, simple: readonly string[] = paths): string {
  if (levels <= 0 || random.chance(0.5)) return random.pick(simple);
  return `(${createCall(random, levels - 1)})`;
}

/** Formats are cached by language, so each new language creates a new one. */
function createLocale(random: Random): string {
  const language = random.pick(languages);
  const extras = [
    ...(random.chance(0.5) ? [`ca-${random.pick(calendars)}`] : []),
    ...(random.chance(0.5) ? [`nu-${random.pick(numberings)}`] : []),
  ];
  return extras.length > 0 ? `${language}-u-${extras.join('-')}` : language;
}

function quote(text: string): string {
  return `"${text}"`;
}

/** The helpers that a source calls. */
export function listHelpers(source: string): string[] {
  return helperNames.filter((name) => new RegExp(`[{(]${name} `).test(source));
}
