/** The JSON object in a body, or undefined for anything else. */
export function parseObject(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    return toRecord(JSON.parse(bytes.toString('utf8')));
  } catch {
    return undefined;
  }
}

export function toRecord(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  // Checked above: any object has string keys.
  return isObject ? (value as Record<string, unknown>) : undefined;
}
