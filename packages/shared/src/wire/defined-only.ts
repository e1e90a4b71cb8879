type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members of an object that are not undefined. */
export function definedOnly<T extends object>(object: T): Defined<T> {
  const defined: Record<string, unknown> = {};
  const source = object as Record<string, unknown>;
  // A loop over names: Object.entries would cost each send as much as validating its body.
  for (const name of Object.keys(source)) {
    const value = source[name];
    if (value !== undefined) defined[name] = value;
  }
  // Safe cast: undefined members were dropped, so the rest are those of T without undefined.
  return defined as Defined<T>;
}
