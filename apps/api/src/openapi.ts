import { type ErrorCode, errorCatalogue, errorEntry } from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import { signatureHeader } from './middleware/authenticate-reader';
import { buildErrorHeaders, buildSuccessHeaders } from './openapi-headers';
import { callHeaders, listParameters } from './openapi-parameters';
import { type ErrorExample, listErrors, type Operation, takesApiKey, takesKey } from './operation';

type Part = Record<string, unknown>;

/** Creates the OpenAPI 3.1 document from the validation schemas and the error catalogue. */
export function createOpenApi(operations: readonly Operation[], publicUrl: string): Part {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Belfry',
      version: '1',
      description: introduction,
    },
    servers: [{ url: publicUrl }],
    security: [{ apiKey: [] }],
    tags: tags
      .filter(({ name }) => operations.some((operation) => getTagName(operation) === name))
      .map(({ name, description }) => ({ name, description })),
    paths: buildPaths(operations),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`AuthKey`, a space, and the API key of the account.',
        },
        userToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'For front ends: a JWT that your backend signs with an inbox secret of the app (HS256), with the header `kid` and the claims `sub` (the `user_id`), `app` (the ID of the app) and `exp` (at most one hour ahead).',
        },
        streamTicket: {
          type: 'apiKey',
          in: 'query',
          name: 'ticket',
          description: 'From `stream_ticket`, valid for one minute.',
        },
        userSignature: {
          type: 'apiKey',
          in: 'header',
          name: signatureHeader,
          description:
            'For front ends, unless the app has turned it off: the lower-case hex HMAC-SHA256 of the `user_id` with the API key as the secret, created by your backend.',
        },
      },
      parameters: callHeaders,
      schemas: Object.fromEntries([
        ['Error', errorSchema],
        ...operations.flatMap(({ id, body, answer, dryRun }) => [
          ...(body ? [[bodyName(id), body]] : []),
          [answerName(id), answer],
          ...(dryRun ? [[dryRunName(id), dryRun.answer]] : []),
        ]),
      ]),
    },
  };
}

const introduction = `One event, every channel: a request names an event of an app and its recipient. Belfry stores the request before it
responds.

- Send \`Authorization: AuthKey <API key>\` with every request, over HTTPS. Never put the key into a browser or an app.
- Every response is JSON and has the request's ID in \`X-Request-Id\`. All errors have the same format, with a \`code\` for programs.
- In a body, null means "not given". Unknown fields are ignored.
- Within \`/v1\`, fields are only added.`;

const tags = [
  {
    name: 'Events',
    description: 'Send an event to one recipient or to many, and cancel messages.',
    collections: ['events'],
  },
  {
    name: 'Requests',
    description: 'Read the status of a send.',
    collections: ['requests'],
  },
  {
    name: 'Users',
    description: 'Store contact details of recipients.',
    collections: ['users'],
  },
  { name: 'Devices', description: 'Manage the push tokens of a user.', collections: ['devices'] },
  {
    name: 'Notifications',
    description: 'Report the delivery of notifications from your apps and pages; topics of FCM.',
    collections: ['push', 'in_app'],
  },
  {
    name: 'Inbox',
    description: 'Read the in-app messages of a user from your backend.',
    collections: ['inbox'],
  },
  {
    name: 'Webhooks',
    description: 'Manage the URLs that get webhooks of an app.',
    collections: ['webhooks'],
  },
  {
    name: 'Sandbox',
    description: 'Read captured messages in tests.',
    collections: ['sandbox'],
  },
  {
    name: 'Inbox of a front end',
    description: 'Read in-app messages from a browser, without an API key. Any origin may call.',
    collections: ['in_app_notifications'],
  },
  {
    name: 'Browser SDKs',
    description: 'Register devices from a browser, without an API key. Any origin may call.',
    collections: ['sdk'],
  },
];

/** The tag of the last collection in the path. */
function getTagName({ path }: Operation): string {
  const words = path.split('/').reverse();
  for (const word of words) {
    const tag = tags.find(({ collections }) => collections.includes(word));
    if (tag) return tag.name;
  }
  throw new Error(`No tag matches ${path}`);
}

function buildPaths(operations: readonly Operation[]): Part {
  const paths: Record<string, Part> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    path[operation.method] = describe(operation);
    paths[operation.path] = path;
  }
  return paths;
}

const callHeaderRefs = Object.keys(callHeaders).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}));

function describe(operation: Operation): Part {
  const { id, summary, body, bodyExamples, access } = operation;
  return {
    tags: [getTagName(operation)],
    operationId: id,
    summary,
    description: [operation.description, ...listRules(operation)].join('\n\n'),
    ...(access ? { security: securityByAccess[access] } : {}),
    parameters: [...listParameters(operation), ...(takesKey(operation) ? callHeaderRefs : [])],
    ...(body
      ? { requestBody: { required: true, content: json(bodyName(id), bodyExamples ?? {}) } }
      : {}),
    responses: {
      200: {
        description: 'Success.',
        headers: buildSuccessHeaders(operation),
        content: answerContent(operation),
      },
      ...errorResponses(operation),
    },
  };
}

function answerContent({ id, answerExample, mediaType, dryRun }: Operation): Part {
  const success = { summary: 'Success', value: answerExample };
  if (mediaType) return { [mediaType]: { schema: refTo(answerName(id)), examples: { success } } };
  if (!dryRun) return json(answerName(id), { success });
  const schema = { anyOf: [refTo(answerName(id)), refTo(dryRunName(id))] };
  const dry_run = { summary: 'Dry run', value: dryRun.answerExample };
  return { 'application/json': { schema, examples: { success, dry_run } } };
}

function listRules(operation: Operation): string[] {
  const { access, body } = operation;
  return [
    takesKey(operation) ? idempotencyRule : noIdempotencyRule,
    ...(body ? [takesApiKey(operation) ? bodyRule : smallBodyRule] : []),
    ...rateRules[access ?? 'key'],
  ];
}

const reader = [{ userToken: [] }, { userSignature: [] }];
const securityByAccess = {
  reader,
  reader_or_open: [...reader, {}],
  reader_or_ticket: [...reader, { streamTicket: [] }],
  open: [{}],
  key_or_open: [{ apiKey: [] }, {}],
};

const idempotencyRule =
  '**Retries.** With an `Idempotency-Key` the request runs once. A repeat with the same key and parameters gets the first status and body again, even a 500, with `Idempotent-Replayed: true`. A repeat with other parameters, or on another route or app of the account, is refused. Refused requests are not stored, so you can correct one and send it again with the same key. A key may be removed once it is 24 hours old.';

const noIdempotencyRule = '**Retries.** An `Idempotency-Key` has no effect here.';

const bodyRule =
  '**Limits.** A body may have 10 MB (configurable), 32 levels, and 2,000 keys in `user`, `data` and `override` together. Send integers beyond 2^53 - 1 as strings.';

const smallBodyRule = '**Limits.** A body may have 16 KB.';

const frontEndRateRule =
  '**Rate limit.** If the account has a rate limit, all its front ends together have a second limit of the same size. A 429 has `Retry-After`.';

const networkRateRule =
  '**Without a credential.** A network (an IPv4 address, or the /64 of an IPv6 address) may send 200 requests at once, then 20 per second. A body may have 16 KB.';

const rateRule =
  '**Rate limit.** If the account has a rate limit, it applies to all its requests together. `RateLimit` and `RateLimit-Policy` show the remaining requests, and a 429 has `Retry-After`.';

const rateRules = {
  key: [rateRule],
  key_or_open: [rateRule, networkRateRule],
  open: [networkRateRule],
  reader: [frontEndRateRule],
  reader_or_open: [frontEndRateRule],
  reader_or_ticket: [frontEndRateRule],
} satisfies Record<NonNullable<Operation['access']> | 'key', string[]>;

function errorResponses(operation: Operation): Part {
  const byStatus: Record<string, ErrorExample[]> = {};
  for (const example of listErrors(operation)) {
    const { status } = errorEntry(example.code);
    byStatus[status] = [...(byStatus[status] ?? []), example];
  }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, examples]) => [
      status,
      errorResponse(operation, examples),
    ]),
  );
}

function errorResponse(operation: Operation, errors: readonly ErrorExample[]): Part {
  const codes = errors.map(({ code }) => code);
  const examples = errors.map(({ code, body }) => [
    code,
    { summary: errorEntry(code).when, value: body },
  ]);
  return {
    description: codes.map((code) => `\`${code}\`: ${errorEntry(code).when}`).join('\n\n'),
    headers: buildErrorHeaders(operation, codes),
    content: json('Error', Object.fromEntries(examples)),
  };
}

const errorSchema = Type.Object({
  success: Type.Literal(false),
  error: Type.String({ description: 'Message for people. It may change.' }),
  code: Type.Unsafe<ErrorCode>({ type: 'string', enum: Object.keys(errorCatalogue) }),
  errors: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'With `validation_failed`: each problem as `<path> <problem>`, in the order of the body. After 20 problems, a last entry counts the others.',
    }),
  ),
  message: Type.Optional(Type.String()),
  request_id: Type.String({ format: 'uuid', description: 'ID of the request.' }),
});

function json(schemaName: string, examples: Record<string, object>): Part {
  return { 'application/json': { schema: refTo(schemaName), examples } };
}

function refTo(schemaName: string): Part {
  return { $ref: `#/components/schemas/${schemaName}` };
}

function dryRunName(operationId: string): string {
  return `${capitalised(operationId)}DryRunAnswer`;
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
