export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The members of a JSON object, or undefined for anything else. */
export function membersOf(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  // Just checked: whatever its members are, their names are strings.
  return isObject ? (value as Record<string, unknown>) : undefined;
}
