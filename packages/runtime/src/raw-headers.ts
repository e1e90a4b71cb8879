import type { IncomingMessage } from 'node:http';

/** All values of a header: Node keeps only the first of some headers and joins others. `name` is in lower case. */
export function getHeaderValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [headerName, value] = [rawHeaders[at], rawHeaders[at + 1]];
    if (headerName?.length !== name.length || value === undefined) continue;
    if (headerName.toLowerCase() === name) values.push(value);
  }
  return values;
}
