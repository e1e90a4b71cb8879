/** Reads the composed content of a channel; unknown content is ignored. */
export type Fields = Record<string, unknown>;

export function toFields(content: unknown): Fields {
  return typeof content === 'object' && content !== null && !Array.isArray(content)
    ? { ...content }
    : {};
}

export function getText(fields: Fields, ...names: string[]): string {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}

export function toFieldsList(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(toFields) : [];
}

export function toStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

export function getNumber(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === 'number' ? value : undefined;
}
