/** Does not use `instanceof`: errors from Node do not extend Jest's own `Error`. */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
