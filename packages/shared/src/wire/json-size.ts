/** Whether a value takes at most `maxBytes` as JSON. Calls JSON.stringify only if the result is not obvious. */
export function isJsonWithin(value: unknown, maxBytes: number): boolean {
  const atLeast = countMinCharacters(value, maxBytes);
  if (atLeast > maxBytes) return false;
  if (atLeast * mostBytesOfOne <= maxBytes) return true;
  return Buffer.byteLength(JSON.stringify(value)) <= maxBytes;
}

/** Maximum bytes per counted unit: a number counts as 1 and takes up to 24 and a comma; a character takes up to 6. */
const mostBytesOfOne = 25;

/** A lower bound of the bytes; stops counting at `enough`. Recursion is safe: parseJson limits the depth. */
function countMinCharacters(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length + quotes;
  if (typeof value !== 'object' || value === null) return 1;
  return Array.isArray(value)
    ? countArrayCharacters(value, enough)
    : countObjectCharacters(value, enough);
}

const quotes = 2;
const brackets = 2;
const quotesAndColon = 3;

function countArrayCharacters(array: readonly unknown[], enough: number): number {
  let sum = brackets;
  for (const member of array) {
    if (sum > enough) break;
    sum += countMinCharacters(member, enough - sum);
  }
  return sum;
}

function countObjectCharacters(object: object, enough: number): number {
  // Safe cast: the object was parsed from JSON.
  const members = object as Readonly<Record<string, unknown>>;
  let sum = brackets;
  for (const key of Object.keys(members)) {
    if (sum > enough) break;
    sum += key.length + quotesAndColon + countMinCharacters(members[key], enough - sum);
  }
  return sum;
}
