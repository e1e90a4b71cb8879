/** Bodies near the limits: the worst known case for each step that reads a body. */
export const giants: Readonly<Record<string, () => string>> = {
  'one text of ASCII': () => filled('a'),
  'one text of two bytes a letter': () => filled('é'),
  'one text of three bytes a letter': () => filled('✓'),
  'one text of emoji': () => filled('😀'),
  'one text with one letter beyond Latin': () => filled('a', '{"data":{"a":"✓'),
  'one text of escapes': () => filled('\\u2713'),
  'one text of line breaks': () => filled('\\n'),
  'one text behind an escape': () => filled('a', '{"data":{"a":"\\u0041'),
  'one key': () => filled('k', '{"', '":1}'),
  'white space': () => filled(' ', '{"data":', '{}}'),
  'one number': () => filled('1', '{"data":{"a":0.', '}}'),
  'the digits of 200,000 numbers': () => buildList(199_990, (at) => `0.${digits(at, 46)}`),
  'the digits of 12,000 numbers': () => buildList(12_000, (at) => `0.${digits(at, 800)}`),
  '200,000 numbers with exponents': () =>
    buildList(199_990, (at) => `${digits(at, 25)}e-${at % 300}`),
  '200,000 texts': () => buildList(199_990, (at) => `"${digits(at, 46)}"`),
  '200,000 nulls': () => buildList(199_990, () => 'null'),
  '200,000 empty objects': () => buildList(199_990, () => '{}'),
  '200,000 empty arrays': () => buildList(199_990, () => '[]'),
  'arrays in arrays, 20 deep': () => buildList(199_990, () => '['.repeat(20) + ']'.repeat(20)),
  '100,000 keys in one object': () => `{"data":{${keys(99_990, 6)}}}`,
  '100,000 long keys in one object': () => `{"data":{${keys(99_990, 90)}}}`,
  '100,000 keys that are not read': () => `{"event":"none","x":{${keys(99_990, 6)}},"user_id":"u"}`,
  '100,000 keys of the body itself': () => `{"event":"none","user_id":"u",${keys(99_980, 6)}}`,
  '66,000 objects of a key each': () => buildList(66_000, (at) => `{"k${at}":1}`),
  '200,000 texts that are not read': () =>
    `{"event":"none","user_id":"u","x":[${joined(199_980, (at) => `"${digits(at, 40)}"`)}]}`,
  '200,000 nulls that are not read': () =>
    `{"event":"none","user_id":"u","x":[${joined(199_980, () => 'null')}]}`,
  'a batch of 1,000 large elements': () =>
    buildBatch(
      1_000,
      () => `{"user":{"email":"a@example.com"},"data":{"a":"${'v'.repeat(9_000)}"}}`,
    ),
  'a batch of 50 elements of 2,000 keys': () =>
    buildBatch(49, (at) => `{"user":{"email":"a@example.com"},"data":{${keys(1_990, 10, at)}}}`),
  'an attachment': () =>
    `{"event":"LIVE","user":{"email":"a@example.com"},"override":{"email":{"attachments":[{"file_name":"a","content":"${'QUJD'.repeat(2_400_000)}"}]}}}`,
  'an element with an attachment': () =>
    buildBatch(
      1,
      () =>
        `{"user":{"email":"a@example.com"},"override":{"email":{"attachments":[{"file_name":"a","content":"${'QUJD'.repeat(2_400_000)}"}]}}}`,
    ),
  'an override of 9 MB in letters of three bytes': () =>
    `{"event":"LIVE","user":{"email":"a@example.com"},"override":{"sms":{"message":{"text":"${'✓'.repeat(3_000_000)}"}}}}`,
};

/** Placeholder for the name of a live event. */
export const liveEventMark = '"LIVE"';

const maxBytes = 10_000_000;

function filled(unit: string, begin = '{"data":{"a":"', end = '"}}'): string {
  const availableBytes = maxBytes - Buffer.byteLength(begin) - Buffer.byteLength(end);
  return begin + unit.repeat(Math.floor(availableBytes / Buffer.byteLength(unit))) + end;
}

function buildList(count: number, write: (at: number) => string): string {
  return `{"data":{"a":[${joined(count, write)}]}}`;
}

function buildBatch(count: number, write: (at: number) => string): string {
  return `{"event":"LIVE","batch":[${joined(count, write)}]}`;
}

function keys(count: number, length: number, salt = 0): string {
  return joined(count, (at) => `"${String(salt * 10_000 + at).padStart(length, 'k')}":1`);
}

function digits(at: number, length: number): string {
  return String(at).padStart(length, '7');
}

function joined(count: number, write: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => write(at)).join(',');
}
