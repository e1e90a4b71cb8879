import { createValidator, errorCatalogue } from '@belfry/shared';
import request from 'supertest';
import { createGateway } from './gateway.fixture';

type Node = { [member: string]: Node };

type JsonContent = { 'application/json': { schema: { $ref: string }; example: unknown } };
type Content = {
  requestBody?: { content: JsonContent };
  responses: { 200: { content: JsonContent } };
};

async function readDocument(): Promise<Node> {
  const { server } = createGateway();
  const response = await request(server).get('/openapi.json');
  expect(response.status).toBe(200);
  return response.body;
}

describe('GET /openapi.json', () => {
  test('is an OpenAPI 3.1 document whose references all lead somewhere', async () => {
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

  test('describes each operation in full', async () => {
    const document = await readDocument();
    const operation = document['paths']!['/v1/apps/{app_id}/events/send']!['post'];
    expect(operation).toMatchObject({
      operationId: 'sendEvent',
      parameters: [
        { name: 'app_id', in: 'path', required: true },
        { $ref: '#/components/parameters/idempotencyKey' },
      ],
      requestBody: {
        content: { 'application/json': { schema: { $ref: '#/components/schemas/SendEventBody' } } },
      },
    });
    expect(Object.keys(operation!['responses']!)).toEqual([
      ...['200', '400', '401', '403', '404', '408', '409', '413', '415', '422', '429', '431'],
      ...['500', '503'],
    ]);
  });

  test('names an Idempotency-Key at POST only', async () => {
    const document = await readDocument();
    for (const methods of Object.values(document['paths']!)) {
      for (const [method, operation] of Object.entries(methods)) {
        const text = JSON.stringify(operation);
        expect([method, /idempotency/.test(text)]).toEqual([method, method === 'post']);
      }
    }
  });

  test('shows examples of users and devices that their schemas take', async () => {
    const { server } = createGateway();
    const document = (await request(server).get('/openapi.json')).body;
    const contents = Object.entries<Record<string, Content>>(document.paths)
      .filter(([path]) => path.includes('/users'))
      .flatMap(([, methods]) => Object.values(methods))
      .flatMap(({ requestBody, responses }) => [requestBody?.content, responses['200'].content])
      .flatMap((content) => (content ? [content['application/json']] : []));
    expect(contents).toHaveLength(11);
    for (const { schema, example } of contents) {
      const name = schema.$ref.split('/').at(-1)!;
      expect(() => createValidator(document.components.schemas[name])(example)).not.toThrow();
    }
  });

  test('holds the schema that validates, with the fields that channels declare', async () => {
    const document = await readDocument();
    const body = document['components']!['schemas']!['SendEventBody']!;
    expect(body['required']).toEqual(['event']);
    expect(body['properties']).toMatchObject({
      event: { type: 'string', maxLength: 128 },
      user: { properties: { slack: { anyOf: expect.any(Array) }, toy_address: { maxLength: 5 } } },
      override: { properties: { toy: { properties: { colour: {}, schedule_at: {} } } } },
    });
  });

  test('lists every error of the catalogue by its code', async () => {
    const document = await readDocument();
    const error = document['components']!['schemas']!['Error']!;
    expect(error['properties']!['code']!['enum']).toEqual(Object.keys(errorCatalogue));
  });
});
