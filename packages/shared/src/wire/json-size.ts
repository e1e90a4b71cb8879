/** Whether a value takes at most `maxBytes` as JSON. Never writes out what is plainly larger. */
export function isJsonWithin(value: unknown, maxBytes: number): boolean {
  if (charactersAtLeast(value, maxBytes) > maxBytes) return false;
  return Buffer.byteLength(JSON.stringify(value)) <= maxBytes;
}

/** A lower bound of the bytes, counted no further than `enough`. Recurses: parseJson bounded the depth. */
function charactersAtLeast(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let sum = 2;
  for (const [key, member] of Object.entries(value)) {
    if (sum > enough) return sum;
    sum += (Array.isArray(value) ? 0 : key.length) + charactersAtLeast(member, enough - sum);
  }
  return sum;
}
