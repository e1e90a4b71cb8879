import { createHmac } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { buildReceiptUrl, newId } from '@belfry/runtime';
import { testSecrets } from '@belfry/testing';
import { connect, parseBody } from './gateway.fixture';
import { signatureHeader } from './middleware/authenticate-reader';
import { listParameterNames } from './routes.fixture';
import { createStoredGateway, type StoredGateway } from './stored-gateway.fixture';

let gateway: StoredGateway;
let integrationId: string;

beforeAll(async () => {
  gateway = await createStoredGateway();
  const twilio = { channel: 'sms', provider: 'twilio', settings: {} };
  integrationId = (await gateway.factories.createIntegration(gateway.tenant, twilio)).id;
}, 60_000);

afterAll(() => gateway.close());

/** Values that PostgreSQL or UTF-8 cannot represent: U+0000, invalid UTF-8, half a surrogate pair, half an escape. */
const badTexts = ['%00', 'a%00b', '%ff', '%C3', '%ED%A0%80', '%', '%zz'];
const queryNames = [
  ...['user_id', 'to', 'after', 'channel', 'request_id', 'count', 'last_message_id'],
  'idempotency_key',
];

/** A valid path of the route, with other values for some parameters. */
function fillPath(path: string, changes: Record<string, string> = {}): string {
  const address = buildReceiptUrl({
    ...{ publicUrl: 'http://a', secrets: testSecrets(), integrationId, messageId: newId() },
  });
  const secret = new URL(address).pathname.split('/').at(-1) ?? '';
  const values: Record<string, string> = {
    ...{ app_id: gateway.tenant.appId, user_id: 'u', device_id: newId(), name: 'a', call: 'setup' },
    ...{ endpoint_id: newId(), delivery_id: newId(), token: 'none' },
    ...{ integration_id: integrationId, secret },
    ...changes,
  };
  return path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? '');
}

type Wrong = { line: string; headers?: string[]; body?: string; isAborted?: boolean };

/** Sends a raw call with the credentials of every kind of route, and reads the whole response. */
async function send({ line, headers = [], body = '', isAborted = false }: Wrong) {
  // A server that listens on a port has an AddressInfo.
  const { socket, answer } = connect((gateway.server.address() as AddressInfo).port);
  const lines = [
    ...[`${line} HTTP/1.1`, 'Host: h', 'Connection: close', 'Content-Type: application/json'],
    `Authorization: AuthKey ${gateway.tenant.apiKey}`,
    `${signatureHeader}: ${createHmac('sha256', gateway.tenant.apiKey).update('u').digest('hex')}`,
    `Content-Length: ${body.length + (isAborted ? 10 : 0)}`,
    ...headers,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  if (isAborted) socket.end();
  const text = await answer;
  return { line, status: Number(text.slice(9, 12)), error: String(parseBody(text)['error']) };
}

/** The responses that are not a 4xx with a sentence naming the problem. */
async function findBadAnswers(calls: Wrong[], sentence: RegExp) {
  expect(calls.length).toBeGreaterThan(0);
  const answers = [];
  for (const call of calls) answers.push(await send(call));
  return answers.filter(
    ({ status, error }) => status < 400 || status > 499 || !sentence.test(error),
  );
}

const hasBody = (route: string) =>
  /^(POST|PUT) /.test(route) &&
  !/(setup|last_open|stream_ticket|rotate_secret|resend)$/.test(route);

describe('invalid input on every route', () => {
  test('in the path gets a 4xx that names the problem', async () => {
    const calls = gateway.routes.flatMap((route) =>
      listParameterNames(route).flatMap((name) =>
        badTexts.map((text) => ({ line: fillPath(route, { [name]: text }) })),
      ),
    );
    expect(
      await findBadAnswers(calls, /URL must (not contain U\+0000|be percent-encoded UTF-8)/),
    ).toEqual([]);
  });

  test('in the query gets a 4xx that names the problem', async () => {
    const calls = gateway.routes.flatMap((route) =>
      queryNames.flatMap((name) =>
        badTexts.map((text) => ({ line: `${fillPath(route)}?${name}=${text}&timeout=0` })),
      ),
    );
    expect(
      await findBadAnswers(calls, /URL must (not contain U\+0000|be percent-encoded UTF-8)/),
    ).toEqual([]);
  });

  test('as a compressed body gets 415', async () => {
    const calls = gateway.routes.filter(hasBody).map((route) => ({
      ...{ line: fillPath(route), headers: ['Content-Encoding: gzip'], body: '{}' },
    }));
    expect(await findBadAnswers(calls, /must not be compressed/)).toEqual([]);
  });

  test('as a body that ends early gets 400', async () => {
    const calls = gateway.routes.filter(hasBody).map((route) => ({
      ...{ line: fillPath(route), body: '{"user_id":"u"', isAborted: true },
    }));
    expect(
      await findBadAnswers(calls, /ended before the request was complete|ended early/),
    ).toEqual([]);
  });

  test('as invalid UTF-8 or U+0000 in JSON gets 4xx', async () => {
    const bodies = ['{"user_id":"\\u0000"}', '{"user_id":"\\ud800"}', '\0', '{"event":"a\0b"}'];
    const calls = gateway.routes
      .filter((route) => hasBody(route) && !/\/(receipts|u)\//.test(route))
      .flatMap((route) => bodies.map((body) => ({ line: fillPath(route), body })));
    expect(await findBadAnswers(calls, /U\+0000|surrogate|JSON/)).toEqual([]);
  });
});
