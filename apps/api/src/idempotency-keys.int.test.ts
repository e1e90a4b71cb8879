import type { AddressInfo } from 'node:net';
import { newId } from '@belfry/runtime';
import { channelVersion } from '@belfry/testing';
import fc from 'fast-check';
import { connect, parseBody } from './gateway.fixture';
import { createStoredGateway, type StoredGateway } from './stored-gateway.fixture';

const numRuns = process.env['TEST_FULL'] ? 500 : 40;

let gateway: StoredGateway;
let event: string;

beforeAll(async () => {
  gateway = await createStoredGateway();
  const version = { email: channelVersion({ subject: 'Hi', text: 'Hello' }) };
  event = (await gateway.factories.createEvent(gateway.tenant, version)).name;
});

afterAll(() => gateway.close());

type Answer = { status: number; isReplay: boolean; body: Record<string, unknown> };

/** Sends raw header lines. */
async function send(...lines: Buffer[]): Promise<Answer> {
  const { appId, apiKey } = gateway.tenant;
  const body = JSON.stringify({ event, user: { email: 'a@example.com' } });
  const { port } = gateway.server.address() as AddressInfo;
  const { socket, answer } = connect(port);
  socket.write(
    Buffer.concat([
      Buffer.from(
        `POST /v1/apps/${appId}/events/send HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
          `Authorization: AuthKey ${apiKey}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${Buffer.byteLength(body)}\r\n`,
      ),
      ...lines.flatMap((line) => [line, Buffer.from('\r\n')]),
      Buffer.from(`\r\n${body}`),
    ]),
  );
  const text = await answer;
  return {
    status: Number(text.slice(9, 12)),
    isReplay: /^idempotent-replayed: true/im.test(text),
    body: parseBody(text),
  };
}

const keyLine = (key: Buffer) => Buffer.concat([Buffer.from('Idempotency-Key: '), key]);
const sendKey = (key: Buffer) => send(keyLine(key));

async function readStoredKey(requestId: unknown): Promise<string | null | undefined> {
  const where = { id: String(requestId) };
  const row = await gateway.database.prisma.request.findUnique({ where });
  return row?.idempotencyKey;
}

/** RFC 9110, section 5.5: a tab, a space, visible ASCII and obs-text. */
const carriedBytes = [0x09, ...Array.from({ length: 256 - 0x20 }, (_, at) => at + 0x20)].filter(
  (byte) => byte !== 0x7f,
);
const outerBytes = carriedBytes.filter((byte) => byte !== 0x09 && byte !== 0x20);

const keyBytes = fc
  .tuple(
    fc.constantFrom(...outerBytes),
    fc.array(fc.constantFrom(...carriedBytes), { maxLength: 253 }),
    fc.constantFrom(...outerBytes),
  )
  .map(([first, middle, last]) => Buffer.from([first, ...middle, last]));

test('a key may contain every byte that a header allows, and the same bytes are a replay', async () => {
  await fc.assert(
    fc.asyncProperty(keyBytes, async (key) => {
      const [first, second] = [await sendKey(key), await sendKey(key)];
      expect([first.status, first.isReplay]).toEqual([200, false]);
      expect(second).toEqual({ ...first, isReplay: true });
      expect(await readStoredKey(first.body['request_id'])).toBe(key.toString('latin1'));
    }),
    { numRuns, examples: carriedBytes.map((byte) => [Buffer.from([0x6b, byte, 0x6b])]) },
  );
});

test('white space around a key is ignored and inside it is significant', async () => {
  const name = newId();
  const first = await sendKey(Buffer.from(`${name} 1`));
  expect((await sendKey(Buffer.from(`\t ${name} 1 \t`))).body).toEqual(first.body);
  expect(await sendKey(Buffer.from(`${name}  1`))).toMatchObject({ status: 200, isReplay: false });
});

test('keys are compared as bytes, so one text in UTF-8 and Latin-1 is two keys', async () => {
  const text = `größe ${newId()}`;
  const utf8 = await sendKey(Buffer.from(text, 'utf8'));
  const latin1 = await sendKey(Buffer.from(text, 'latin1'));
  expect([utf8.isReplay, latin1.isReplay]).toEqual([false, false]);
  expect(latin1.body['request_id']).not.toBe(utf8.body['request_id']);
  expect(await sendKey(Buffer.from(text, 'utf8'))).toEqual({ ...utf8, isReplay: true });
});

test('the longest key has 255 bytes', async () => {
  const longest = Buffer.concat([Buffer.from(newId()), Buffer.alloc(219, 0xff)]);
  expect(longest).toHaveLength(255);
  expect((await sendKey(longest)).status).toBe(200);
  expect(await sendKey(Buffer.concat([longest, Buffer.from([0xff])]))).toMatchObject(refusal);
});

const refusal = {
  status: 400,
  body: {
    code: 'idempotency_key_invalid',
    error: 'the Idempotency-Key must be sent once, with 1 to 255 characters (bytes)',
  },
};

test.each([
  ['an empty key', [Buffer.from('Idempotency-Key:')]],
  ['a key of spaces', [Buffer.from('Idempotency-Key:  \t ')]],
  ['two keys', [keyLine(Buffer.from('k')), keyLine(Buffer.from('k'))]],
  ['two keys, one of them empty', [keyLine(Buffer.from('k')), keyLine(Buffer.from(''))]],
])('%s is refused', async (_title, lines) => {
  expect(await send(...lines)).toMatchObject(refusal);
});

test('one key with a comma is one key', async () => {
  expect(await sendKey(Buffer.from(`${newId()}, b`))).toMatchObject({ status: 200 });
});

test.each([0x00, 0x01, 0x1f, 0x7f])(
  'a control character is refused as an invalid header: byte %i',
  async (byte) => {
    const answer = await sendKey(Buffer.from([0x6b, byte, 0x6b]));
    expect(answer).toMatchObject({ status: 400, body: { code: 'bad_request' } });
  },
);
