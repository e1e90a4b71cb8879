import type { Value } from './nodes';

/** Handlebars' truth: false, undefined, null, '', 0 and an empty list are false. */
export function isTruthy(value: Value, includeZero = false): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return includeZero && value === 0 ? true : Boolean(value);
}

/** An own member of an object or list, the length of a list included; nothing that data could inherit. */
export function memberOf(value: Value, name: string): Value {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  if (!Array.isArray(value)) return value[name];
  return name === 'length' ? value.length : value[Number(name)];
}

/** The text that a value prints: undefined for what has none. Objects and lists are JSON. */
export function textOf(value: Value): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return Number.isFinite(value) ? String(value) : undefined;
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? undefined : jsonOf(value);
    default:
      return undefined;
  }
}

/** Undefined for what is nested too deeply to be written. */
export function jsonOf(value: Value): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
