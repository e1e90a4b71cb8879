/**
 * Checks the path and query of a request; undefined if all parts decode to text that PostgreSQL can store. Express
 * decodes a path, but reads a query that is not UTF-8 as other text.
 */
export function findTargetProblem(target: string): string | undefined {
  if (!mayBeEncoded.test(target)) return undefined;
  const text = decode(target);
  if (text === undefined || notAscii.test(target)) return 'must be percent-encoded UTF-8';
  return text.includes('\0') ? 'must not contain U+0000 (%00)' : undefined;
}

const mayBeEncoded = /[^\x21-\x24\x26-\x7e]/;
const notAscii = /[^\x21-\x7e]/;

function decode(target: string): string | undefined {
  try {
    return decodeURIComponent(target);
  } catch {
    return undefined;
  }
}
