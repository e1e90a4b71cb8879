/** `?a=1&b=2` of what is given; nothing where nothing is. */
export function buildQuery(parameters: object): string {
  const entries = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)]);
  const text = new URLSearchParams(entries).toString();
  return text && `?${text}`;
}
