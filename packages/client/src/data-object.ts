/**
 * A JSON object. The second member takes interfaces and classes, which have no index signature, but neither functions nor
 * lists.
 */
export type DataObject =
  | { readonly [name: string]: unknown }
  | (object & { readonly [Symbol.hasInstance]?: never; readonly [Symbol.iterator]?: never });
