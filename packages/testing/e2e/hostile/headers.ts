import fc from 'fast-check';
import type { Tenant } from '../../src/factories';
import { rarely } from './rarely';

type Tenants = { tenant: Tenant; other: Tenant };

export function buildHeaders(tenants: Tenants): Headers {
  return fc
    .tuple(buildAuthorization(tenants), contentType, idempotencyKey, rarely(otherHeaders, []))
    .map((headerLists) => headerLists.flat());
}

type Header = readonly [string, string];
type Headers = fc.Arbitrary<readonly Header[]>;

function buildAuthorization({ tenant, other }: Tenants): Headers {
  const { apiKey } = tenant;
  const toHeaders = (...texts: string[]): [string, string][] =>
    texts.map((text) => ['Authorization', text]);
  const wrongHeaders = fc.constantFrom(
    ...[
      toHeaders(),
      toHeaders(''),
      toHeaders(apiKey),
      toHeaders(`Bearer ${apiKey}`),
      toHeaders(`AuthKey ${apiKey}x`),
    ],
    ...[toHeaders(`AuthKey ${other.apiKey}`), toHeaders(`AuthKey ${apiKey}`, `AuthKey ${apiKey}`)],
    ...[
      toHeaders(`authkey   ${apiKey}`),
      toHeaders(`AuthKey ${'k'.repeat(9_000)}`),
      toHeaders('AuthKey é'),
    ],
  );
  return rarely(wrongHeaders, toHeaders(`AuthKey ${apiKey}`));
}

const contentType: Headers = rarely(
  fc
    .constantFrom(
      ...[
        '',
        'text/plain',
        'application/json; charset=utf-16',
        'APPLICATION/JSON ; charset=latin1',
      ],
      ...[
        'application/json;',
        'application/jsonx',
        'multipart/form-data; boundary=x',
        'a/b/c',
        ';',
      ],
    )
    .map((type) => [['Content-Type', type]]),
  [['Content-Type', 'application/json']],
);

const keyTexts = [
  '',
  ' ',
  'a b',
  'é',
  '\t',
  'k'.repeat(255),
  'k'.repeat(256),
  '"quoted"',
  'a,b',
  '0',
];

const idempotencyKey: Headers = fc.oneof(
  { weight: 5, arbitrary: fc.constant([]) },
  { weight: 3, arbitrary: fc.uuid().map(keyHeader) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('k1', 'k2', 'k3').map(keyHeader),
  },
  { weight: 1, arbitrary: fc.constantFrom(...keyTexts).map(keyHeader) },
  {
    weight: 1,
    arbitrary: fc.constant([
      ['Idempotency-Key', 'k1'],
      ['Idempotency-Key', 'k2'],
    ]),
  },
);

function keyHeader(key: string): readonly Header[] {
  return [['Idempotency-Key', key]];
}

const otherHeaders: Headers = fc.constantFrom<(readonly Header[])[]>(
  [
    ['X-Forwarded-Proto', 'https'],
    ['X-Forwarded-Proto', 'http'],
  ],
  [
    ['X-Forwarded-For', '1.2.3.4, "evil"'],
    ['Forwarded', 'for=1;proto=x'],
  ],
  [['Content-Encoding', 'gzip']],
  [['Content-Encoding', 'identity, br']],
  [['Expect', '100-continue']],
  [['Expect', 'the impossible']],
  [['X-Request-Id', '\u00e9"\\']],
  [['X-HTTP-Method-Override', 'DELETE']],
  [
    ['Upgrade', 'websocket'],
    ['Connection', 'Upgrade'],
  ],
  [
    ['Upgrade', 'h2c'],
    ['Connection', 'Upgrade, HTTP2-Settings'],
    ['HTTP2-Settings', 'AAMAAABk'],
  ],
  [
    ['Range', 'bytes=0-1'],
    ['If-None-Match', '*'],
  ],
  [
    ['Cookie', '__proto__=1; a=%'],
    ['Origin', 'null'],
  ],
  Array.from({ length: 100 }, (_, index): Header => [`X-Many-${index}`, 'v'.repeat(20)]),
);
