import { type ErrorCode, errorCatalogue } from '@belfry/shared';
import { type TSchema, Type } from '@sinclair/typebox';

/** One operation of the interface, as the document shows it. */
export type Operation = {
  method: 'get' | 'post' | 'put' | 'delete';
  /** With parameters in braces. */
  path: string;
  id: string;
  summary: string;
  body?: TSchema;
  answer: TSchema;
  /** Of a body and of the answer to it. */
  example?: { body?: unknown; answer: unknown };
  /** Errors of this operation, beside those of every call. */
  errors: readonly ErrorCode[];
};

type Part = Record<string, unknown>;

/** The OpenAPI 3.1 document, made from the schemas that validate and from the list of errors. */
export function createOpenApi(operations: readonly Operation[], publicUrl: string): Part {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Belfry',
      version: '1',
      description: 'One event, every channel. Within /v1 fields are only added.',
    },
    servers: [{ url: publicUrl }],
    security: [{ apiKey: [] }],
    paths: pathsOf(operations),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`AuthKey <API key>`',
        },
      },
      parameters: { idempotencyKey },
      headers: { requestId: { description: 'The id of the call.', schema: { type: 'string' } } },
      schemas: Object.fromEntries([
        ['Error', errorSchema],
        ...operations.flatMap(({ id, body, answer }) => [
          ...(body ? [[bodyName(id), body]] : []),
          [answerName(id), answer],
        ]),
      ]),
    },
  };
}

function pathsOf(operations: readonly Operation[]): Part {
  const paths: Record<string, Part> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    path[operation.method] = describe(operation);
    paths[operation.path] = path;
  }
  return paths;
}

function describe(operation: Operation): Part {
  const { id, summary, body, method, example } = operation;
  return {
    operationId: id,
    summary,
    parameters: [
      ...pathParameters(operation.path),
      ...(method === 'post' ? [{ $ref: '#/components/parameters/idempotencyKey' }] : []),
    ],
    ...(body
      ? { requestBody: { required: true, content: json(bodyName(id), example?.body) } }
      : {}),
    responses: {
      200: { description: 'Done.', headers, content: json(answerName(id), example?.answer) },
      ...errorResponses([
        ...errorsOfEveryCall,
        ...(body ? errorsOfBodies : []),
        ...(method === 'post' ? errorsOfKeys : []),
        ...operation.errors,
      ]),
    },
  };
}

const errorsOfEveryCall: ErrorCode[] = [
  'bad_request',
  'unauthenticated',
  'https_required',
  'app_not_found',
  'request_timeout',
  'headers_too_large',
  'rate_limited',
  'internal',
  'unavailable',
];

const errorsOfBodies: ErrorCode[] = [
  'malformed_json',
  'invalid_type',
  'hostile_json',
  'body_too_large',
  'unsupported_media_type',
  'validation_failed',
];

const errorsOfKeys: ErrorCode[] = [
  'idempotency_key_invalid',
  'idempotency_conflict',
  'idempotency_mismatch',
];

const headers = { 'X-Request-Id': { $ref: '#/components/headers/requestId' } };

function errorResponses(codes: readonly ErrorCode[]): Part {
  const byStatus: Record<string, ErrorCode[]> = {};
  for (const code of codes) {
    const { status } = errorCatalogue[code];
    byStatus[status] = [...(byStatus[status] ?? []), code];
  }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map((code) => `\`${code}\`: ${errorCatalogue[code].when}`).join('\n'),
        headers,
        content: json('Error'),
      },
    ]),
  );
}

const errorSchema = Type.Object({
  success: Type.Literal(false),
  error: Type.String({ description: 'A sentence for people.' }),
  code: Type.Unsafe<ErrorCode>({ type: 'string', enum: Object.keys(errorCatalogue) }),
  errors: Type.Optional(
    Type.Array(Type.String(), { description: 'The first problem of a value: `<path> <problem>`.' }),
  ),
  message: Type.Optional(Type.String()),
  request_id: Type.String({ format: 'uuid', description: 'The id of the call.' }),
});

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes a retry safe: the same key and body give the first answer again.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
};

function pathParameters(path: string): Part[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function json(schemaName: string, example?: unknown): Part {
  const schema = { $ref: `#/components/schemas/${schemaName}` };
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

function bodyName(operationId: string): string {
  return `${capitalised(operationId)}Body`;
}

function answerName(operationId: string): string {
  return `${capitalised(operationId)}Answer`;
}

function capitalised(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
