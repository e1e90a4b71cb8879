import type { Json } from '../data';

type Members = { [key: string]: Json };

/**
 * A body without the members that are null: they mean "not given", everywhere but inside `data`,
 * where null is a value. Arrays keep their length. A body that holds no null is not copied.
 */
export function withoutNulls(body: Json): Json {
  if (!isMembers(body) || !holdsNull(body)) return body;
  return dropMembers(body, (key, value) =>
    key === 'batch' && Array.isArray(value) ? value.map(ofItem) : ofMember(key, value),
  );
}

function ofItem(item: Json): Json {
  return isMembers(item) ? dropMembers(item, ofMember) : item;
}

function ofMember(key: string, value: Json): Json {
  return key === 'data' ? value : dropNulls(value);
}

// These recurse: parseJson bounded the depth.

function dropNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(dropNulls);
  return isMembers(value) ? dropMembers(value, (_, member) => dropNulls(member)) : value;
}

function dropMembers(object: Members, change: (key: string, value: Json) => Json): Members {
  const given = Object.entries(object).filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([key, value]) => [key, change(key, value)]));
}

function holdsNull(value: Json): boolean {
  if (value === null) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(holdsNull);
  // A loop over the keys: a list of the values, made for each object of a bulk, costs more than looking at them.
  for (const key of Object.keys(value)) if (holdsNull(value[key] ?? null)) return true;
  return false;
}

function isMembers(value: Json): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
