import { createValidator, errorCatalogue } from '@belfry/shared';
import { validate } from '@readme/openapi-parser';
import request from 'supertest';
import { createGateway } from './gateway.fixture';

type Node = { [member: string]: Node };

type Example = { value: unknown };
/** By media type. */
type MediaContent = Record<
  string,
  { schema: { $ref?: string; anyOf?: { $ref: string }[] }; examples: Record<string, Example> }
>;
type Content = {
  description?: string;
  requestBody?: { content: MediaContent };
  responses: Record<string, { content: MediaContent }>;
};

async function readDocument(): Promise<Node> {
  const { server } = createGateway();
  const response = await request(server).get('/openapi.json');
  expect(response.status).toBe(200);
  return response.body;
}

describe('GET /openapi.json', () => {
  test('is an OpenAPI 3.1 document whose references all resolve', async () => {
    const document = await readDocument();
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: expect.any(String), version: expect.any(String) },
      servers: [{ url: 'https://notify.example.com' }],
    });
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(0);
    for (const [, pointer = ''] of references) {
      const target = pointer
        .split('/')
        .reduce<Node | undefined>((at, step) => at?.[step], document);
      expect([pointer, typeof target]).toEqual([pointer, 'object']);
    }
  });

  test('describes each operation completely', async () => {
    const document = await readDocument();
    const operation = document['paths']!['/v1/apps/{app_id}/events/send']!['post'];
    expect(operation).toMatchObject({
      operationId: 'sendEvent',
      parameters: [
        { name: 'app_id', in: 'path', required: true },
        { name: 'dry_run', in: 'query', required: false },
        { $ref: '#/components/parameters/idempotencyKey' },
        { $ref: '#/components/parameters/traceparent' },
      ],
      requestBody: {
        content: { 'application/json': { schema: { $ref: '#/components/schemas/SendEventBody' } } },
      },
    });
    expect(Object.keys(operation!['responses']!)).toEqual([
      ...['200', '400', '401', '403', '404', '408', '409', '413', '415', '422', '429', '431'],
      ...['500', '501', '503'],
    ]);
  });

  test('documents an Idempotency-Key and a traceparent for every POST of a backend and nowhere else', async () => {
    const document = await readDocument();
    for (const [path, methods] of Object.entries(document['paths']!)) {
      for (const [method, operation] of Object.entries(methods)) {
        const text = JSON.stringify(operation);
        const isOfBrowsers = /\/(in_app_notifications|in_app|fcm)\/|\/sdk$/.test(path);
        const takesKey = method === 'post' && !isOfBrowsers;
        for (const header of ['idempotencyKey', 'traceparent']) {
          const isDocumented = text.includes(`parameters/${header}`);
          expect([path, method, header, isDocumented]).toEqual([path, method, header, takesKey]);
        }
      }
    }
  });

  test('is valid according to the OpenAPI 3.1 schema', async () => {
    const result = await validate(structuredClone(await readDocument()) as never);
    expect(result).toMatchObject({ valid: true, warnings: [] });
  });

  test('fails that schema if it is wrong', async () => {
    const document = await readDocument();
    const invalidDocument = { ...document, paths: { ...document['paths'], 'no-slash': {} } };
    expect(await validate(invalidDocument as never)).toMatchObject({ valid: false });
  });

  test('has valid examples for every body and every response', async () => {
    const { server } = createGateway();
    const document = (await request(server).get('/openapi.json')).body;
    const operations = Object.values<Record<string, Content>>(document.paths).flatMap((methods) =>
      Object.values(methods),
    );
    const contents = operations
      .flatMap(({ requestBody, responses }) => [requestBody, ...Object.values(responses)])
      .flatMap((each) => (each ? Object.values(each.content) : []));
    for (const { schema, examples } of contents) {
      const names = (schema.anyOf ?? [schema]).map(({ $ref }) => $ref!.split('/').at(-1)!);
      expect([names, Object.keys(examples)]).not.toEqual([names, []]);
      for (const [example, { value }] of Object.entries(examples)) {
        const name = example === 'dry_run' ? names.at(-1)! : names[0]!;
        const validateExample = createValidator(document.components.schemas[name]);
        expect(() => validateExample(value)).not.toThrow();
      }
    }
  });

  test('contains the validation schema with the fields of the channels', async () => {
    const document = await readDocument();
    const body = document['components']!['schemas']!['SendEventBody']!;
    expect(body['required']).toEqual(['event']);
    expect(body['properties']).toMatchObject({
      event: { type: 'string', maxLength: 128 },
      user: { properties: { slack: { anyOf: expect.any(Array) }, toy_address: { maxLength: 5 } } },
      override: { properties: { toy: { properties: { colour: {}, schedule_at: {} } } } },
    });
  });

  test('lists every error code of the catalogue', async () => {
    const document = await readDocument();
    const error = document['components']!['schemas']!['Error']!;
    expect(error['properties']!['code']!['enum']).toEqual(Object.keys(errorCatalogue));
  });
});
