/** Splits a stream of text into its lines; one that is too long is cut, so that it cannot fill the memory. */
export function createLineSplitter(onLine: (line: string) => void): (chunk: Buffer) => void {
  let rest = '';
  return function split(chunk) {
    const pieces = (rest + chunk.toString('utf8')).split('\n');
    rest = (pieces.pop() ?? '').slice(0, maxLineChars);
    for (const piece of pieces) if (piece !== '') onLine(piece);
  };
}

const maxLineChars = 100_000;
