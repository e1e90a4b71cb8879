/** The value of a name that may be any text. A plain lookup of `constructor` would find what every object inherits. */
export function getOwn<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
