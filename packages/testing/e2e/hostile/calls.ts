import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import type { Tenant } from '../../src/factories';
import type { KnownTexts, Schema } from './bodies';
import { buildBodyBytes, bytes } from './body-bytes';
import { buildHeaders } from './headers';
import { rarely } from './rarely';

export type Call = {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Buffer;
  readonly isChunked?: boolean;
};

/** One operation of the API, from the OpenAPI document. */
export type Operation = {
  method: string;
  path: string;
  body?: Schema;
  /** Signed by a user, who is named in the body or else in the query. */
  isSigned?: boolean;
};

export type CallsOptions = {
  operations: readonly Operation[];
  tenant: Tenant;
  /** A key and an app that do not belong together. */
  other: Tenant;
  knownTexts: KnownTexts;
  /** Schemas of the bodies that front ends send. */
  readerTexts: KnownTexts;
  /** The URL to which Meta reports about an integration, and the secret that signs it. */
  receipts: { path: string; appSecret: string; verifyToken: string };
};

export function createCalls(options: CallsOptions): fc.Arbitrary<Call> {
  const operationCalls = options.operations.map((operation) =>
    operation.isSigned ? buildSignedCall(operation, options) : buildCall(operation, options),
  );
  return fc.oneof(
    ...operationCalls.map((arbitrary) => ({ weight: 10, arbitrary })),
    { weight: 5, arbitrary: callBesideRoutes(options) },
    { weight: 5, arbitrary: buildReceiptCall(options) },
  );
}

function buildCall(
  { method, path, body, isSigned }: Operation,
  options: CallsOptions,
): fc.Arbitrary<Call> {
  const knownTexts = isSigned ? options.readerTexts : options.knownTexts;
  const bodies = body ? buildBodyBytes(body, knownTexts) : rarely(bytes, undefined);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  return fc
    .record({
      places: fc.tuple(...names.map((name) => buildPathSegment(name, options))),
      ending: rarely(fc.constantFrom('/', '//', '?a=1&a=2&__proto__=x', '?%', '#x', '/x'), ''),
      body: bodies,
      headers: buildHeaders(options),
      isChunked: fc.boolean(),
    })
    .map(({ places, ending, body: bodyBytes, headers, isChunked }) => {
      const filled = names.reduce(
        (text, name, at) => text.replace(`{${name}}`, places[at] ?? ''),
        path,
      );
      const ended = filled + ending;
      return {
        method: method.toUpperCase(),
        path: path.endsWith('/sandbox/wait') ? withQuery(ended, withoutWaiting) : ended,
        ...{ headers, isChunked },
        ...(bodyBytes ? { body: bodyBytes } : {}),
      };
    })
    .map(withDescription);
}

/** By default a call waits 10 s for messages. The few calls of `callBesideRoutes` do. */
const withoutWaiting = 'timeout=0';

const readers = ['u1', 'u2', 'Ünï/ø 👋 ?&='];

/** A front end's call. Most are signed for the user. */
function buildSignedCall(operation: Operation, options: CallsOptions): fc.Arbitrary<Call> {
  const hostile = fc.constantFrom('', ' ', '\0', 'x'.repeat(255), 'x'.repeat(256), '__proto__');
  return fc
    .tuple(
      buildCall(operation, options),
      rarely(fc.constant('other'), 'tenant'),
      fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...readers) }, hostile),
      rarely(fc.constantFrom('', 'x', '0'.repeat(64), 'é'), undefined),
    )
    .map(([call, whose, reader, wrongSignature]) => {
      const { apiKey } = whose === 'tenant' ? options.tenant : options.other;
      const signature =
        wrongSignature ?? computeHmac(apiKey, operation.body ? readerIn(call) : reader);
      const query = `user_id=${encodeURIComponent(reader)}`;
      const path = operation.body ? call.path : withQuery(call.path, query);
      const headers = [...call.headers, ['X-Raven-User-Signature', signature] as const];
      return withDescription({ ...call, path, headers });
    });
}

function computeHmac(key: string, content: string | Buffer): string {
  return createHmac('sha256', key).update(content).digest('hex');
}

/** Inserts the query before what was appended to the path. */
function withQuery(path: string, query: string): string {
  const [, base = '', ending = ''] = /^([^?#]*?)(\/*(?:[?#].*)?)$/.exec(path) ?? [];
  return `${base}?${query}${ending.startsWith('?') ? `&${ending.slice(1)}` : ending}`;
}

/** The user whom a body names, also after mutations. */
function readerIn({ body }: Call): string {
  try {
    const read: unknown = JSON.parse(String(body));
    return String(typeof read === 'object' && read && Reflect.get(read, 'user_id'));
  } catch {
    return 'u1';
  }
}

const text: Schema = { type: 'string' };
const object = (properties: Record<string, Schema>): Schema => {
  return { type: 'object', properties, required: Object.keys(properties) };
};
const list = (items: Schema): Schema => ({ type: 'array', items });

/** Message statuses as Meta sends them. */
const report = object({
  entry: list(
    object({
      changes: list(
        object({
          field: text,
          value: object({
            metadata: object({ phone_number_id: text }),
            statuses: list(
              object({
                id: text,
                status: text,
                timestamp: text,
                recipient_id: text,
                biz_opaque_callback_data: text,
                errors: list(object({ code: { type: 'integer' }, title: text, message: text })),
              }),
            ),
          }),
        }),
      ),
    }),
  ),
});

const reportTexts: KnownTexts = {
  field: ['messages', 'messages', 'messages', 'account_update'],
  status: ['sent', 'delivered', 'read', 'failed', 'none', ''],
};

/** A call to a known receipt URL: mostly signed, or the handshake. */
function buildReceiptCall({ receipts }: CallsOptions): fc.Arbitrary<Call> {
  const { path, appSecret, verifyToken } = receipts;
  const signed = fc
    .tuple(buildBodyBytes(report, reportTexts), rarely(fc.constantFrom('', 'é', 'x'), undefined))
    .map(([body, wrongSignature]): Call => {
      const signature = wrongSignature ?? `sha256=${computeHmac(appSecret, body)}`;
      const headers = [
        ['Content-Type', 'application/json'],
        ['X-Hub-Signature-256', signature],
      ] as const;
      return { method: 'POST', path, headers, body };
    });
  const challenge = fc.constantFrom('1', '', '<script>', '%00', 'x'.repeat(257), '__proto__');
  const handshake = challenge.map((challengeText): Call => {
    const query = `hub.mode=subscribe&hub.verify_token=${verifyToken}&hub.challenge=${challengeText}`;
    return { method: 'GET', path: `${path}?${query}`, headers: [] };
  });
  return fc
    .oneof({ weight: 4, arbitrary: signed }, { weight: 1, arbitrary: handshake })
    .map(withDescription);
}

function callBesideRoutes(options: CallsOptions): fc.Arbitrary<Call> {
  const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];
  const paths = fc.oneof(
    fc.constantFrom(
      ...['/', '/v1', '/v1/', '/v2/x', '/livez', '/readyz', '/openapi.json', '/metrics', '/docs'],
      ...[
        '/docs/x',
        '/docs/..%2f..%2fpackage.json',
        '/docs/%00',
        '/docs/__proto__',
        '/v1/receipts/x/y',
      ],
      ...['/v1/receipts/__proto__/constructor', '/v1/receipts/%ff/%00', '/v1/receipts//'],
      ...['//livez', '/v1/apps', '/v1/apps//events/send', '/v1/apps/%/users', '/%2e%2e/livez', '*'],
      ...options.operations.map(({ path }) => path.replace(/[{}]/g, '')),
      ...options.operations.map(({ path }) => path.replace('{app_id}', options.tenant.appId)),
    ),
    fc.webPath(),
  );
  return fc
    .record({
      method: fc.constantFrom(...methods),
      path: paths.map((path) => (path.startsWith('/') ? path : `/${path}`)),
      headers: buildHeaders(options),
      body: rarely(bytes, undefined),
    })
    .map(({ body, ...call }) => withDescription({ ...call, ...(body ? { body } : {}) }));
}

const segments = [
  ...['%00', '%ff', '%', '%zz', '.', '..', '%2e', '%2e%2e', 'a%2Fb', '%F0%9F%8E%89', '%ED%A0%80'],
  ...[
    '__proto__',
    'constructor',
    ';',
    '*',
    ':id',
    '{id}',
    '%0d%0aX:y',
    '%20',
    '0',
    'null',
    '%C2%80',
  ],
  ...['x'.repeat(255), 'x'.repeat(256), '%F0%9F%98%80'.repeat(255), 'x'.repeat(8_000)],
];

function buildPathSegment(name: string, { tenant, other }: CallsOptions): fc.Arbitrary<string> {
  const hostile = fc.constantFrom(...segments);
  if (name !== 'app_id') {
    return fc.oneof({ weight: 20, arbitrary: fc.constantFrom('u1', 'u2') }, hostile);
  }
  const apps = [other.appId, tenant.appId.toUpperCase(), tenant.appId.replaceAll('-', '')];
  return rarely(fc.oneof(fc.constantFrom(...apps), hostile), tenant.appId);
}

const shownCharacters = 2_000;

/** The form that a failed run prints. */
function withDescription(call: Call): Call {
  return Object.assign(call, { [fc.toStringMethod]: () => describeCall(call) });
}

function describeCall({ method, path, headers, body, isChunked }: Call): string {
  const text = body?.toString('latin1') ?? '';
  const cut = text.length > shownCharacters ? ` ... ${text.length} bytes` : '';
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, shownCharacters)}${
    isChunked ? ' chunked' : ''
  }\n${text.slice(0, shownCharacters)}${cut}`;
}
