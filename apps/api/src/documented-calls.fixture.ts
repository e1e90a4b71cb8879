import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TSchema } from '@sinclair/typebox';
import { connect } from './gateway.fixture';
import type { StoredGateway } from './stored-gateway.fixture';

type Example = { summary: string; value: Record<string, unknown> };
/** The stream of an inbox has another media type than JSON. */
type Content = {
  'application/json': { schema: Schema; examples: Record<string, Example> };
};
/** An operation with a dry run has two response schemas. */
type Schema = { $ref: string } | { anyOf: { $ref: string }[] };
type Header = { required: boolean; example?: string };

export type DocumentedResponse = { headers: Record<string, Header>; content: Content };

/** The parts of the document that the tests read. */
export type OpenApi = {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        security?: unknown;
        parameters: { name: string; in: string; example?: string; $ref?: string }[];
        requestBody?: { content: Content };
        responses: Record<string, DocumentedResponse>;
      }
    >
  >;
  components: {
    parameters: Record<'idempotencyKey' | 'traceparent', { example: string }>;
    schemas: Record<string, TSchema>;
  };
};

export type DocumentedOperation = {
  name: string;
  method: string;
  path: string;
  credential: 'key' | 'signature' | 'none';
  /** Path parameters by name. */
  parameters: Record<string, string>;
  /** Query of each call. */
  query: Record<string, string>;
  /** One for each documented body; undefined if it takes none. */
  bodies: { name: string; value: Record<string, unknown> | undefined }[];
  responses: Record<string, DocumentedResponse>;
};

export function listOperations({ paths }: OpenApi): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, parameters, requestBody, responses }]) => {
      const examples = requestBody?.content['application/json'].examples;
      const valuesIn = (location: string) =>
        parameters.flatMap(({ name, in: where, example }) =>
          where === location && example !== undefined ? [[name, example]] : [],
        );
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        credential: getCredential(security),
        parameters: Object.fromEntries(valuesIn('path')),
        query: Object.fromEntries(valuesIn('query')),
        bodies: examples
          ? Object.entries(examples).map(([name, { value }]) => ({ name, value }))
          : [{ name: 'no body', value: undefined }],
        responses,
      };
    }),
  );
}

/** Whether the response to a success is JSON, and not a stream. */
export function isJson({ responses }: DocumentedOperation): boolean {
  return 'application/json' in (responses['200']?.content ?? {});
}

/** A call with an API key, if the operation takes one. */
function getCredential(security: unknown): DocumentedOperation['credential'] {
  const text = JSON.stringify(security ?? [{ apiKey: [] }]);
  if (text.includes('apiKey')) return 'key';
  return text.includes('userSignature') ? 'signature' : 'none';
}

/** The schema names of a response: of a success, then of a dry run. */
export function listSchemaNames({ content }: DocumentedResponse): string[] {
  const { schema } = content['application/json'];
  const refs = 'anyOf' in schema ? schema.anyOf : [schema];
  return refs.map(({ $ref }) => $ref.split('/').at(-1) ?? '');
}

/** Every documented error of an operation, with response and example. */
export function listErrors({ responses }: DocumentedOperation) {
  return Object.entries(responses)
    .filter(([status]) => status !== '200')
    .flatMap(([status, response]) =>
      Object.entries(response.content['application/json'].examples).map(([code, { value }]) => ({
        code,
        status: Number(status),
        headers: response.headers,
        body: value,
      })),
    );
}

export type Call = {
  method: string;
  path: string;
  /** Encoded values of the path parameters. */
  parameters: Record<string, string>;
  query: Record<string, string>;
  headers: Record<string, string>;
  /** An object is sent as JSON, a string unchanged. */
  body: Record<string, unknown> | string | undefined;
};

export type CallAnswer = {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
};

/** Sends a call on a new connection. If `Content-Length` is given, no body follows. */
export function send(gateway: StoredGateway, call: Call): Promise<CallAnswer> {
  const { method, headers } = call;
  const body = bodyText(call);
  return new Promise((resolve, reject) => {
    const target = {
      host: '127.0.0.1',
      port: getPort(gateway),
      path: buildUrl(call),
      agent: false,
    };
    const request = http.request({ ...target, method, headers }, (response) => {
      readAnswer(response).then((answer) => {
        request.destroy();
        resolve(answer);
      }, reject);
    });
    request.on('error', reject);
    if (headers['Content-Length'] !== undefined) request.flushHeaders();
    else request.end(body);
  });
}

/** Opens a stream, and keeps it open until `close`. */
export function openStream(gateway: StoredGateway, call: Call) {
  const request = http.request({
    host: '127.0.0.1',
    port: getPort(gateway),
    path: buildUrl(call),
    agent: false,
    headers: call.headers,
  });
  const opened = new Promise((resolve, reject) => {
    request.on('response', (response) => response.once('data', resolve));
    request.on('error', reject);
  });
  request.end();
  return { opened, close: () => request.destroy() };
}

/** Sends the head of a call with an extra line, or without its end. */
export async function sendHead(
  gateway: StoredGateway,
  call: Call,
  head: { extraLine?: string; isWhole: boolean },
): Promise<CallAnswer> {
  const { socket, answer } = connect(getPort(gateway));
  const lines = [
    `${call.method} ${buildUrl(call)} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...(head.extraLine === undefined ? [] : [head.extraLine]),
    ...(head.isWhole ? ['', ''] : ['X-Not-Ended: ']),
  ];
  socket.write(lines.join('\r\n'));
  return parseAnswer(await answer);
}

function bodyText({ body }: Call): string | undefined {
  return typeof body === 'object' ? JSON.stringify(body) : body;
}

function buildUrl({ path, parameters, query }: Call): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => parameters[name] ?? '');
  const search = new URLSearchParams(query).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

function getPort({ server }: StoredGateway): number {
  return (server.address() as AddressInfo).port;
}

/** A stream does not end, so its body is not read. */
async function readAnswer(response: IncomingMessage): Promise<CallAnswer> {
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
  );
  const status = response.statusCode ?? 0;
  if (headers['content-type'] === 'text/event-stream') return { status, headers, body: {} };
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status, headers, body: JSON.parse(Buffer.concat(chunks).toString()) };
}

function parseAnswer(text: string): CallAnswer {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => line.split(': ', 2));
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(
      headers.map(([name = '', value = '']) => [name.toLowerCase(), value]),
    ),
    body: JSON.parse(body),
  };
}
