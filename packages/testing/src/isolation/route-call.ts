import { randomBytes, randomInt } from 'node:crypto';
import type { Twin, TwinKey } from './twins';

/** A call of a route; `path` has parameters in Express's syntax. */
export type RouteCall = {
  method: string;
  path: string;
  params: Record<string, string>;
  query: Record<string, string>;
  body?: object | undefined;
  headers?: Record<string, string>;
};

/**
 * The type of a value: the key of a twin's value, any of several, or a list of one. `plain` names no row, nor does anything in it;
 * of an `object`, each member has a type.
 */
type ValueType = TwinKey | readonly TwinKey[] | { list: TwinKey } | 'plain' | 'object';
/** By name, or by the end of a path such as `keys.id` if the name alone is ambiguous. */
export type ValueTypes = Readonly<Record<string, ValueType>>;

/** A field of a call, such as `params.appId` or `body.user.user_id`, and the type of its value. */
export type Field = { place: string; keys: readonly TwinKey[]; isList: boolean };

/** Selects the fields whose values name a row. Throws for fields of unknown type. */
export function listFields(
  { method, path }: Pick<RouteCall, 'method' | 'path'>,
  places: readonly string[],
  types: ValueTypes,
): Field[] {
  const unknown: string[] = [];
  const fields = places.flatMap((place) => {
    const [where, ...names] = place.split('.');
    const word = where === 'params' ? getWordBefore(path, names[0] ?? '') : getLastWord(path);
    const type = findType([word, ...names], types);
    if (type === undefined) unknown.push([word, ...names].join('.'));
    return type === undefined || type === 'plain' || type === 'object'
      ? []
      : [{ place, ...getKeys(type) }];
  });
  if (unknown.length === 0) return fields;
  throw new Error(
    `${method.toUpperCase()} ${path} reads values of unknown types: ${unknown.join(', ')}. Add them to the value types of ` +
      'this test, by name or by the end of their path: the key of a twin’s value, or plain for values that name no row.',
  );
}

function getKeys(type: Exclude<ValueType, 'plain' | 'object'>): Omit<Field, 'place'> {
  if (typeof type === 'string') return { keys: [type], isList: false };
  return 'list' in type ? { keys: [type.list], isList: true } : { keys: type, isList: false };
}

/** `names` begins with a word of the route. Everything inside a plain value is plain. */
function findType(names: readonly string[], types: ValueTypes): ValueType | undefined {
  const parents = names.map((_, index) => names.slice(0, index)).slice(2);
  const isInPlain = parents.some((parent) => findByEnd(parent, types) === 'plain');
  return isInPlain ? 'plain' : findByEnd(names, types);
}

/** The longest matching end wins. */
function findByEnd(names: readonly string[], types: ValueTypes): ValueType | undefined {
  return names.map((_, index) => types[names.slice(index).join('.')]).find(Boolean);
}

function getLastWord(path: string): string {
  return path.split('/').findLast((part) => part !== '' && !part.startsWith(':')) ?? '';
}

function getWordBefore(path: string, parameter: string): string {
  const segments = path.split('/');
  return segments[segments.indexOf(`:${parameter}`) - 1] ?? '';
}

/** Path and query. */
export function buildRequestTarget({ path, params, query }: RouteCall): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const text = new URLSearchParams(query).toString();
  return text === '' ? filled : `${filled}?${text}`;
}

/** The call with another value in a field. */
export function withValue(call: RouteCall, { place, isList }: Field, value: string): RouteCall {
  const [where = '', ...names] = place.split('.');
  const copy = structuredClone({ body: {}, headers: {}, ...call });
  setValue(Reflect.get(copy, where), names, isList ? [value] : value);
  return copy;
}

/** In a list, the first element is changed. */
function setValue(container: object, names: readonly string[], value: unknown): void {
  const [name = '', ...rest] = names;
  if (Array.isArray(container)) setValue(container[0], names, value);
  else if (rest.length === 0) Reflect.set(container, name, value);
  else {
    if (typeof Reflect.get(container, name) !== 'object') Reflect.set(container, name, {});
    setValue(Reflect.get(container, name), rest, value);
  }
}

export function getValues({ keys }: Field, { values }: Twin): string[] {
  return keys.map((key) => values[key]).filter((value) => value !== '');
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** UUIDv7 begins with its time, which decides where a page begins. */
const uuidPrefixLength = 20;
const phonePrefixLength = 8;
/** Texts keep their beginning, so that both have the same position in a list. */
const textPrefixLength = 4;

/** Another value of the same format that does not exist. */
export function createSimilar(value: string): string {
  const random = randomBytes(32).toString('hex');
  if (uuid.test(value)) {
    return `${value.slice(0, uuidPrefixLength)}${random.slice(0, 3)}-${random.slice(3, 15)}`;
  }
  if (/^[0-9a-f]{64}$/.test(value)) return random;
  if (value.startsWith('+'))
    return replaceAfter(value, phonePrefixLength, () => String(randomInt(10)));
  const [name = '', ...domain] = value.split('@');
  return [replaceAfter(name, textPrefixLength, randomLetter), ...domain].join('@');
}

function replaceAfter(text: string, prefixLength: number, create: () => string): string {
  return text.slice(0, prefixLength) + text.slice(prefixLength).replace(/[a-z0-9]/gi, create);
}

function randomLetter(): string {
  return String.fromCharCode('a'.charCodeAt(0) + randomInt(26));
}
