type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members of an object that are not undefined. */
export function definedOnly<T extends object>(object: T): Defined<T> {
  const defined: Record<string, unknown> = {};
  const source = object as Record<string, unknown>;
  // A loop over names: entries and what is made of them again cost each send as much as checking its body.
  for (const name of Object.keys(source)) {
    const value = source[name];
    if (value !== undefined) defined[name] = value;
  }
  // What is undefined is left out here, so each member left is one of T without undefined.
  return defined as Defined<T>;
}
