/** Sample data as form fields: one per leaf; lists and empty objects are JSON. */
export type Leaf = { path: string; value: unknown };

const maxLeaves = 60;

export function listLeaves(data: Record<string, unknown>, prefix = ''): Leaf[] {
  return Object.entries(data)
    .flatMap(([name, value]): Leaf[] => {
      const path = prefix ? `${prefix}.${name}` : name;
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return [{ path, value }];
      }
      const inner = listLeaves({ ...value }, path);
      return inner.length > 0 ? inner : [{ path, value }];
    })
    .slice(0, maxLeaves);
}

export function formatLeaf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Parses input as the type of the value that was there, if possible. Undefined if it must be a list or an object, and is not. */
export function parseLeaf(original: unknown, text: string): unknown {
  if (typeof original === 'string') return text;
  const isList = typeof original === 'object' && original !== null;
  const value = parseJson(text);
  if (isList) return typeof value === 'object' && value !== null ? value : undefined;
  return value === undefined ? text : value;
}

/** Undefined if the text is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sets a leaf by its path. Names with a dot can only be edited as JSON. */
export function withLeaf(
  data: Record<string, unknown>,
  path: string,
  value: unknown,
): Record<string, unknown> {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...data, [name]: value };
  const before = data[name];
  const inner = typeof before === 'object' && before !== null ? { ...before } : {};
  return { ...data, [name]: withLeaf(inner, rest.join('.'), value) };
}

/** Undefined if the text is not a JSON object. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...value }
    : undefined;
}
