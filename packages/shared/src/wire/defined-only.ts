type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members of an object that are not undefined. */
export function definedOnly<T extends object>(object: T): Defined<T> {
  // What is undefined is filtered out here, so each member left is one of T without undefined.
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
}
