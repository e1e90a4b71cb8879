/** `?a=1&b=2` of what is given; nothing where nothing is. */
export function queryOf(parameters: object): string {
  const given = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)]);
  const text = new URLSearchParams(given).toString();
  return text && `?${text}`;
}
