/** Not by `instanceof`: Jest has an `Error` of its own, which those of Node do not extend. */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
