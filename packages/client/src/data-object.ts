/**
 * A JSON object. The second member accepts interfaces and classes, which have no index signature, but no functions or
 * arrays.
 */
export type DataObject =
  | { readonly [name: string]: unknown }
  | (object & { readonly [Symbol.hasInstance]?: never; readonly [Symbol.iterator]?: never });
