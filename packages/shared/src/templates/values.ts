import type { Value } from './nodes';
import { charge, chargeText, cost, type RenderBudget } from './render-budget';

/** Handlebars' truthiness: false, undefined, null, '', 0 and an empty list are false. */
export function isTruthy(value: Value, includeZero = false): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return includeZero && value === 0 ? true : Boolean(value);
}

/** An own member of an object or list, or the length of a list; never an inherited property. */
export function getMember(value: Value, name: string): Value {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  if (!Array.isArray(value)) return value[name];
  return name === 'length' ? value.length : value[Number(name)];
}

/** The text of a printed value; undefined if it has none. Objects and lists print as JSON. */
export function toText(value: Value, budget: RenderBudget): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return Number.isFinite(value) ? String(value) : undefined;
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? undefined : toJson(value, budget);
    default:
      return undefined;
  }
}

/** Undefined for a value that is nested too deeply. Charges for the whole text before creating it. */
export function toJson(value: Value, budget: RenderBudget): string | undefined {
  if (!chargeJson(value, budget, 0)) return undefined;
  return JSON.stringify(value);
}

/** The gateway accepts 32 levels, so requests never reach this limit. */
const maxJsonLevels = 500;

/** False for a value that is nested too deeply. */
function chargeJson(value: Value, budget: RenderBudget, level: number): boolean {
  charge(budget, cost.jsonValue);
  if (typeof value === 'string') chargeText(budget, countJsonCharacters(value));
  if (typeof value !== 'object' || value === null) return true;
  if (level >= maxJsonLevels) return false;
  if (Array.isArray(value)) return value.every((item) => chargeJson(item, budget, level + 1));
  return Object.keys(value).every((name) => {
    chargeText(budget, countJsonCharacters(name));
    return chargeJson(value[name], budget, level + 1);
  });
}

/** An upper bound: JSON escapes a character with up to 6. */
function countJsonCharacters(text: string): number {
  return escapedInJson.test(text) ? text.length * 6 : text.length;
}

const escapedInJson = /["\\\p{Cc}\p{Surrogate}]/u;
