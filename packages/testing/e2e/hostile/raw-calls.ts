import { gzipSync } from 'node:zlib';
import type { Tenant } from '../../src/factories';

export type RawCall = {
  name: string;
  bytes: string | Buffer;
  /** The expected status of the first answer; `none` if the caller did not finish its call. */
  status: number | 'none';
};

/** Calls that no HTTP client sends. */
export function createRawCalls({ apiKey, appId }: Tenant): RawCall[] {
  const post = `POST /v1/apps/${appId}/events/send HTTP/1.1\r\n${host}`;
  const key = `Authorization: AuthKey ${apiKey}`;
  const completeCall = head(post, key, json, sized) + body;
  const rows: readonly Row[] = [
    ...withoutKey,
    ...sends.map(([name, status, lines, ...rest]): Row => {
      return [name, status, head(post, key, ...lines.split('\r\n')) + rest.join('')];
    }),
    ['two Authorizations', 401, head(post, key, key, json, sized) + body],
    ['100-continue without a key', 401, head(post, json, sized, 'Expect: 100-continue')],
    ['headers that end early', 'none', `${post}\r\n${key}\r\n`],
    ['two calls in one write', 404, completeCall.repeat(2)],
    ['a call followed by bytes that are not HTTP', 404, `${completeCall}hello\r\n\r\n`],
    ['a bomb in gzip', 415, bomb(post, key, json, 'Content-Encoding: gzip')],
    ['a bomb in gzip without Content-Encoding', 400, bomb(post, key, json)],
  ];
  return rows.map(([name, status, bytes]) => ({ name, bytes, status }));
}

type Row = [name: string, status: RawCall['status'], bytes: string | Buffer];

const body = '{"event":"none"}';
const json = 'Content-Type: application/json';
const sized = `Content-Length: ${body.length}`;
const chunked = 'Transfer-Encoding: chunked';
const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const host = 'Host: a';
const lives = 'GET /livez HTTP/1.1';

const withoutKey: readonly Row[] = [
  ['no HTTP', 400, 'hello\r\n\r\n'],
  ['line breaks followed by bytes that are not HTTP', 400, '\r\n\r\n\r\nx\r\n\r\n'],
  ['the hello of TLS', 400, Buffer.from('16030100050100000100', 'hex')],
  ['the preface of HTTP/2', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['HTTP/0.9', 200, 'GET /livez\r\n\r\n'],
  ['HTTP/1.0', 200, head('GET /livez HTTP/1.0')],
  ['HTTP/9.9', 400, head('GET /livez HTTP/9.9')],
  ['an unknown method', 400, head('BREW /livez HTTP/1.1')],
  ['a method in lower case', 400, head('get /livez HTTP/1.1')],
  ['a space in the path', 400, head('GET /li vez HTTP/1.1')],
  ['U+0000 in the path', 400, head('GET /li\0vez HTTP/1.1')],
  ['bytes beyond ASCII in the path', 400, Buffer.from(head('GET /\xff HTTP/1.1'), 'latin1')],
  ['a path in absolute form', 200, head('GET http://elsewhere.example/livez HTTP/1.1', host)],
  ['an invalid absolute form', 404, head('GET http://[::bad/livez HTTP/1.1', host)],
  ['a path of 20 KB', 431, head(`GET /${'x'.repeat(20_000)} HTTP/1.1`)],
  ['the asterisk', 404, head('OPTIONS * HTTP/1.1', host)],
  ['CONNECT', 404, head('CONNECT elsewhere.example:443 HTTP/1.1')],
  ['no Host', 400, head(lives)],
  ['two Hosts', 400, head(lives, host, 'Host: b')],
  ['an invalid Host', 400, head(lives, 'Host: a/b')],
  ['a header without a colon', 400, head(lives, 'nonsense')],
  ['a header without a name', 400, head(lives, ': x')],
  ['a header with a space before its colon', 400, head(lives, 'Host : a')],
  ['a folded header', 400, head(lives, 'X-A: 1', ' folded')],
  ['U+0000 in a header', 400, head(lives, 'X-A: a\0b')],
  ['lines that end in LF only', 400, `${lives}\nHost: a\n\n`],
  ['3,000 headers', 431, head(lives, ...manyHeaders(3_000, 1))],
  ['a header of 64 KB', 431, head(lives, ...manyHeaders(1, 65_536))],
  ['headers of 1 MB', 431, head(lives, ...manyHeaders(1_000, 1_000))],
];

const inChunks = `${json}\r\n${chunked}`;

/** Headers beside those of every send, and the bytes after the headers. */
const sends: readonly [name: string, status: Row[1], lines: string, ...rest: string[]][] = [
  ['a complete call', 404, `${json}\r\n${sized}`, body],
  ['a call in chunks', 404, inChunks, chunk],
  ['a Content-Length that is not a number', 400, `${json}\r\nContent-Length: x`, body],
  ['a negative Content-Length', 400, `${json}\r\nContent-Length: -1`, body],
  ['a Content-Length with a plus', 400, `${json}\r\nContent-Length: +5`, body],
  ['a Content-Length beyond 2^64', 400, `${json}\r\nContent-Length: ${'9'.repeat(30)}`, body],
  ['a Content-Length of 1 TB', 413, `${json}\r\nContent-Length: 1000000000000`, body],
  ['a Content-Length of 0', 400, `${json}\r\nContent-Length: 0`],
  ['two Content-Lengths', 400, `${json}\r\n${sized}\r\nContent-Length: 1`, body],
  ['a Content-Length and chunks', 400, `${inChunks}\r\n${sized}`, chunk],
  ['an unknown transfer coding', 501, `${json}\r\nTransfer-Encoding: banana`, chunk],
  ['gzip after chunked', 501, `${json}\r\nTransfer-Encoding: chunked, gzip`, chunk],
  ['chunked gzip', 501, `${json}\r\nTransfer-Encoding: gzip, chunked`, chunk],
  ['a chunk without a size', 400, inChunks, 'xyz\r\n'],
  ['a chunk of 2^64 bytes', 400, inChunks, 'ffffffffffffffff1\r\n'],
  ['a chunk longer than its size', 400, inChunks, `1\r\n${body}\r\n0\r\n\r\n`],
  ['chunk extensions of 64 KB', 400, inChunks, `5;${'x'.repeat(65_536)}\r\n`],
  ['an invalid trailer', 400, inChunks, '0\r\nnonsense\r\n\r\n'],
  ['an empty body in chunks', 400, inChunks, '0\r\n\r\n'],
  [
    'two Idempotency-Keys',
    400,
    `${json}\r\n${sized}\r\nIdempotency-Key: a\r\nIdempotency-Key: b`,
    body,
  ],
  [
    'two X-Forwarded-Protos',
    404,
    `${json}\r\n${sized}\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Proto: http`,
    body,
  ],
  ['a body in UTF-16', 400, `${json}; charset=utf-16le\r\nContent-Length: 4`, '{\0}\0'],
  ['a body that ends early', 'none', `${json}\r\nContent-Length: 50`, body],
  ['100-continue without a body', 100, `${json}\r\n${sized}\r\nExpect: 100-continue`],
];

function head(...lines: string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function manyHeaders(count: number, characters: number): string[] {
  return Array.from({ length: count }, (_, index) => `X-${index}: ${'v'.repeat(characters)}`);
}

function bomb(...lines: string[]): Buffer {
  const packed = gzipSync(Buffer.alloc(20_000_000, 0x20));
  return Buffer.concat([Buffer.from(head(...lines, `Content-Length: ${packed.length}`)), packed]);
}
