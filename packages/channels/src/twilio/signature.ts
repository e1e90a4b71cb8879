import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ReceiptCall } from '../channel';

/** Whether Twilio's signature over the URL and the form fields was made with this auth token. */
export function isSignedBy(
  authToken: string,
  { url, headers }: Pick<ReceiptCall, 'url' | 'headers'>,
  params: URLSearchParams,
): boolean {
  const signature = headers['x-twilio-signature'];
  if (typeof signature !== 'string' || signature === '') return false;
  const fields = buildSignedText(params);
  return listUrlSpellings(url)
    .map((spelling) =>
      createHmac('sha1', authToken)
        .update(spelling + fields)
        .digest('base64'),
    )
    .map((expected) => isEqual(expected, signature))
    .includes(true);
}

/**
 * The fields' names and values, sorted by name. A repeated field contributes each distinct value
 * once.
 */
export function buildSignedText(params: URLSearchParams): string {
  // One pass: a lookup per name would read all fields again, on an unauthenticated call.
  const values = new Map<string, Set<string>>();
  for (const [name, value] of params) {
    const fieldValues = values.get(name) ?? new Set();
    values.set(name, fieldValues.add(value));
  }
  return [...values.keys()]
    .sort()
    .flatMap((name) => [...(values.get(name) ?? [])].sort().map((value) => name + value))
    .join('');
}

/** The registered URL, with and without the scheme's default port: Twilio has signed both. */
function listUrlSpellings(url: string): string[] {
  const [, scheme = '', host = '', port = '', rest = ''] =
    /^(https?:\/\/)(\[[^\]]*\]|[^/:?#]*)(:\d+)?(.*)$/s.exec(url) ?? [];
  if (scheme === '') return [url];
  const implied = scheme === 'https://' ? ':443' : ':80';
  return [...new Set([url, scheme + host + rest, `${scheme}${host}${port || implied}${rest}`])];
}

function isEqual(expected: string, actual: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(actual)];
  return one.length === other.length && timingSafeEqual(one, other);
}
