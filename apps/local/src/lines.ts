/** Splits a text stream into lines. A line that is too long is truncated, to limit memory. */
export function createLineSplitter(onLine: (line: string) => void): (chunk: Buffer) => void {
  let rest = '';
  return function split(chunk) {
    const pieces = (rest + chunk.toString('utf8')).split('\n');
    rest = (pieces.pop() ?? '').slice(0, maxLineChars);
    for (const piece of pieces) if (piece !== '') onLine(piece);
  };
}

const maxLineChars = 100_000;
