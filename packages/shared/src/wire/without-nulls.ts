import type { Json } from '../data';

type Members = { [key: string]: Json };

/**
 * Drops null members, which mean "not given" everywhere except inside `data`, where null is a value. Arrays keep their
 * length. A body without null is not copied.
 */
export function withoutNulls(body: Json): Json {
  if (!isMembers(body) || !hasNull(body)) return body;
  return dropMembers(body, (key, value) =>
    key === 'batch' && Array.isArray(value)
      ? value.map(dropItemNulls)
      : dropMemberNulls(key, value),
  );
}

function dropItemNulls(item: Json): Json {
  return isMembers(item) ? dropMembers(item, dropMemberNulls) : item;
}

function dropMemberNulls(key: string, value: Json): Json {
  return key === 'data' ? value : dropNulls(value);
}

// Recursion is safe: parseJson limits the depth.

function dropNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(dropNulls);
  return isMembers(value) ? dropMembers(value, (_, member) => dropNulls(member)) : value;
}

function dropMembers(object: Members, change: (key: string, value: Json) => Json): Members {
  const entries = Object.entries(object).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([key, value]) => [key, change(key, value)]));
}

function hasNull(value: Json): boolean {
  if (value === null) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(hasNull);
  // A loop over keys: building a list of values for each object of a bulk costs more than reading them.
  for (const key of Object.keys(value)) if (hasNull(value[key] ?? null)) return true;
  return false;
}

function isMembers(value: Json): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
