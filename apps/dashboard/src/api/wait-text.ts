/** The last sentence of an error that ends by itself. The page replaces it by a time, which stays true. */
export function formatWait(seconds: number): string {
  return `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
}
