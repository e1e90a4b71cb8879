import { toRecord } from './read-object';

export type Members = Record<string, unknown>;

/** The problem of a value, as words that follow its name; undefined if there is none. */
export type Rule = (value: unknown) => string | undefined;

export const isAnything: Rule = () => undefined;

export const isText: Rule = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'must be a non-empty string';

export const isString: Rule = (value) =>
  typeof value === 'string' ? undefined : 'must be a string';

export const isFlag: Rule = (value) =>
  typeof value === 'boolean' ? undefined : 'must be a boolean';

export const isObject: Rule = (value) => (toRecord(value) ? undefined : 'must be an object');

/** In UTF-16 units, as vendors count characters. */
export const isTextUpTo =
  (most: number): Rule =>
  (value) =>
    isText(value) ??
    (String(value).length > most ? `has ${String(value).length} characters of ${most}` : undefined);

export const isEnum =
  (...words: string[]): Rule =>
  (value) =>
    typeof value === 'string' && words.includes(value)
      ? undefined
      : `must be one of ${words.join(', ')}`;

export const isInteger =
  (least: number, most: number): Rule =>
  (value) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
      ? undefined
      : `must be an integer from ${least} to ${most}`;

export const matches =
  (pattern: RegExp, problem: string): Rule =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? undefined : problem;

/** A list of `least` to `most` items that all follow the rule. */
export const isList =
  (rule: Rule, { least = 1, most }: { least?: number; most: number }): Rule =>
  (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    if (value.length < least || value.length > most) return `has ${value.length} items of ${most}`;
    return findFirst(value.map((item, index) => prefixProblem(`[${index}]`, rule(item))));
  };

/** An object of strings with any names. */
export const isMapOfStrings: Rule = (value) => {
  const members = toRecord(value);
  if (!members) return 'must be an object';
  return findFirst(
    Object.entries(members).map(([name, each]) => prefixProblem(name, isString(each))),
  );
};

/** An object with only these members, and with all required ones. */
export const isObjectWith =
  (rules: Record<string, Rule>, required: readonly string[] = []): Rule =>
  (value) => {
    const members = toRecord(value);
    if (!members) return 'must be an object';
    const missing = required.find((name) => !(name in members));
    return missing ? `${missing} is missing` : findProblem(members, rules);
  };

/** The first member that is unknown or breaks its rule. */
export function findProblem(members: Members, rules: Record<string, Rule>): string | undefined {
  return findFirst(
    Object.entries(members).map(([name, value]) => {
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
      return prefixProblem(name, rule ? rule(value) : 'is unknown');
    }),
  );
}

function prefixProblem(name: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${name} ${problem}`;
}

function findFirst(problems: (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

/** Whether a request declares this content type. */
export function hasType(headers: { 'content-type'?: string | undefined }, type: string): boolean {
  const [contentType = ''] = (headers['content-type'] ?? '').split(';');
  return contentType.trim().toLowerCase() === type;
}

export const formType = 'application/x-www-form-urlencoded';
export const jsonType = 'application/json';
