import { type ErrorCode, errorCatalogue, errorEntry } from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import { signatureHeader } from './middleware/authenticate-reader';
import { buildErrorHeaders, buildSuccessHeaders } from './openapi-headers';
import { idempotencyKey, listParameters } from './openapi-parameters';
import { type ErrorExample, listErrors, type Operation, takesKey } from './operation';

type Part = Record<string, unknown>;

/** The OpenAPI 3.1 document, made from the schemas that validate and from the list of errors. */
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
          description: 'The word `AuthKey`, a space, and the API key of the account.',
        },
        userSignature: {
          type: 'apiKey',
          in: 'header',
          name: signatureHeader,
          description:
            'For front ends: the lower-case hex HMAC-SHA256 of the `user_id`, with the API key as the key. The backend makes it.',
        },
      },
      parameters: { idempotencyKey },
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

const introduction = `One event, every channel: a call names an event of an app and whom it is for, and Belfry stores it before it
answers.

- Every call has \`Authorization: AuthKey <API key>\` and comes over HTTPS. The key does not belong in a browser or in an app.
- Every answer is JSON and has the id of its call in \`X-Request-Id\`. Every error has one shape, and a \`code\` for programs.
- In a body, null means "not given", and what is not known is ignored.
- Within \`/v1\` fields are only added.`;

const tags = [
  {
    name: 'Events',
    description: 'Send an event to one recipient or to many.',
    collection: 'events',
  },
  {
    name: 'Requests',
    description: 'Read what became of a send.',
    collection: 'requests',
  },
  {
    name: 'Users',
    description: 'Whom events are for: stored contact details.',
    collection: 'users',
  },
  { name: 'Devices', description: 'The push installations of a user.', collection: 'devices' },
  {
    name: 'Notifications',
    description: 'What apps tell of the notifications that they got.',
    collection: 'push',
  },
  {
    name: 'Inbox',
    description: 'The in-app messages of a user, for the account.',
    collection: 'inbox',
  },
  {
    name: 'Sandbox',
    description: 'What was captured in place of being sent, for tests.',
    collection: 'sandbox',
  },
  {
    name: 'Inbox of a front end',
    description: 'The same messages for a browser, which holds no API key: any site may call.',
    collection: 'in_app_notifications',
  },
];

/** By the last word of the path that is a collection. */
function getTagName({ path }: Operation): string {
  const words = path.split('/').reverse();
  const word = words.find((each) => tags.some(({ collection }) => collection === each));
  const tag = tags.find(({ collection }) => collection === word);
  if (!tag) throw new Error(`No tag fits ${path}`);
  return tag.name;
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

function describe(operation: Operation): Part {
  const { id, summary, body, bodyExamples, access } = operation;
  return {
    tags: [getTagName(operation)],
    operationId: id,
    summary,
    description: [operation.description, ...listRules(operation)].join('\n\n'),
    ...(access ? { security: securityByAccess[access] } : {}),
    parameters: [
      ...listParameters(operation),
      ...(takesKey(operation) ? [{ $ref: '#/components/parameters/idempotencyKey' }] : []),
    ],
    ...(body
      ? { requestBody: { required: true, content: json(bodyName(id), bodyExamples ?? {}) } }
      : {}),
    responses: {
      200: {
        description: 'Done.',
        headers: buildSuccessHeaders(operation),
        content: answerContent(operation),
      },
      ...errorResponses(operation),
    },
  };
}

function answerContent({ id, answerExample, dryRun }: Operation): Part {
  const success = { summary: 'Done.', value: answerExample };
  if (!dryRun) return json(answerName(id), { success });
  const schema = { anyOf: [refTo(answerName(id)), refTo(dryRunName(id))] };
  const dry_run = { summary: 'Only tried.', value: dryRun.answerExample };
  return { 'application/json': { schema, examples: { success, dry_run } } };
}

function listRules(operation: Operation): string[] {
  const { access, body } = operation;
  return [
    takesKey(operation) ? ruleOfKeys : ruleWithoutKeys,
    ...(body ? [access ? ruleOfSmallBodies : ruleOfBodies] : []),
    access ? ruleOfFrontEndRates : ruleOfRates,
  ];
}

const securityByAccess = {
  signature: [{ userSignature: [] }],
  signature_or_open: [{ userSignature: [] }, {}],
};

const ruleOfKeys =
  '**Retries.** With an `Idempotency-Key` the work is done once. The same key with the same parameters gets the first status and body again, a 500 too, with `Idempotent-Replayed: true`; with other parameters, or on another route or app of the account, it is refused. Nothing is kept of a call that was refused, so it may be mended and sent again with the same key. A key may be forgotten once it is 24 hours old.';

const ruleWithoutKeys = '**Retries.** An `Idempotency-Key` has no effect here.';

const ruleOfBodies =
  '**Limits.** A body has at most 10 MB, unless the gateway is set otherwise, 32 levels, and 2,000 keys in `user`, `data` and `override` together. Whole numbers beyond 2^53 - 1 are sent as text.';

const ruleOfSmallBodies = '**Limits.** A body has at most 16 KB.';

const ruleOfFrontEndRates =
  '**Rate limit.** Where the account has one, its front ends have another one of that size together; 429 comes with `Retry-After`.';

const ruleOfRates =
  '**Rate limit.** Where the account has one, it holds for all of its calls together; `RateLimit` and `RateLimit-Policy` tell what is left of it, and 429 comes with `Retry-After`.';

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
  error: Type.String({ description: 'A sentence for people.' }),
  code: Type.Unsafe<ErrorCode>({ type: 'string', enum: Object.keys(errorCatalogue) }),
  errors: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'With `validation_failed`: each problem of the body, `<path> <problem>`, in its order; after 20 a last entry counts the others.',
    }),
  ),
  message: Type.Optional(Type.String()),
  request_id: Type.String({ format: 'uuid', description: 'The id of the call.' }),
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
