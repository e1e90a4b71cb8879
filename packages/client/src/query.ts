/** Builds `?a=1&b=2` from the defined parameters; '' if there are none. */
export function buildQuery(parameters: object): string {
  const entries = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)]);
  const text = new URLSearchParams(entries).toString();
  return text && `?${text}`;
}
