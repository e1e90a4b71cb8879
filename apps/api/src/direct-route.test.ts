import {
  appId,
  close,
  connect,
  createGateway,
  listen,
  otherAppId,
  sendPath,
} from './gateway.fixture';

type Ways = 'direct' | 'by Express';

const body = '{"event":"e","user":{"email":"ana@example.com"}}';

type Call = {
  method?: string;
  target?: string;
  headers?: Record<string, string | undefined>;
  body?: string;
  allowHttp?: boolean;
};

/** What a call is answered, and what the gateway notes of it, without what differs from call to call. */
async function answerTo(call: Call, way: Ways) {
  const { server, auth, lines, counted, sent } = createGateway(
    { https: { allowHttp: call.allowHttp ?? true, isTrustedProxy: () => false } },
    { isDirect: way === 'direct' },
  );
  const port = await listen(server);
  const headers = {
    Host: 'h',
    Authorization: auth,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(call.body ?? body)),
    Connection: 'close',
    ...call.headers,
  };
  const head = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  const { socket, answer } = connect(port);
  const first = `${call.method ?? 'POST'} ${call.target ?? sendPath} HTTP/1.1`;
  socket.write(`${[first, ...head].join('\r\n')}\r\n\r\n${call.body ?? body}`);
  const text = await answer;
  await close(server);
  return {
    answer: text.replace(uuid, 'id').replace(/Date: .*/, ''),
    lines: lines.map(({ timestamp: _, duration_ms: _took, call_id: _id, ...line }) => line),
    counted: counted.map((each) => ({ ...each, seconds: 0 })),
    sent: sent.length,
  };
}

const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

describe('a send past Express', () => {
  test.each<[string, Call]>([
    ['a send', {}],
    ['a send with a key', { headers: { 'Idempotency-Key': 'k1' } }],
    ['a key that is too long', { headers: { 'Idempotency-Key': 'k'.repeat(256) } }],
    ['no API key', { headers: { Authorization: undefined } }],
    ['another account’s app', { target: `/v1/apps/${otherAppId}/events/send` }],
    ['an app that is no UUID', { target: `/v1/apps/${'-'.repeat(36)}/events/send` }],
    ['an app in capitals', { target: `/v1/apps/${appId.toUpperCase()}/events/send` }],
    ['a body that is no JSON', { body: '{' }],
    ['a body that breaks the schema', { body: '{"event":1}' }],
    ['a body that is too large', { body: JSON.stringify({ event: 'x'.repeat(20_000) }) }],
    ['a type that is not JSON', { headers: { 'Content-Type': 'text/plain' } }],
    ['plain HTTP where it is refused', { allowHttp: false }],
    ['a query', { target: `${sendPath}?a=1` }],
    ['a slash at the end', { target: `${sendPath}/` }],
    ['other capitals', { target: sendPath.replace('send', 'SEND') }],
    ['an escape in the path', { target: sendPath.replace('send', '%73end') }],
    ['another method', { method: 'PUT' }],
    ['OPTIONS', { method: 'OPTIONS' }],
    ['an absolute target', { target: `http://h${sendPath}` }],
  ])('answers, logs and counts %s as Express does', async (_what, call) => {
    const direct = await answerTo(call, 'direct');
    expect(direct).toEqual(await answerTo(call, 'by Express'));
    expect(direct.answer).toMatch(/^HTTP\/1\.1 \d{3} /);
  });

  test('is the way that a send takes', async () => {
    const gateway = createGateway();
    expect(gateway.directTargets).toEqual([]);
    const port = await listen(gateway.server);
    const { socket, answer } = connect(port);
    socket.write(
      `POST ${sendPath} HTTP/1.1\r\nHost: h\r\nAuthorization: ${gateway.auth}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
    expect(await answer).toContain('HTTP/1.1 200 OK');
    expect(gateway.directTargets).toEqual([sendPath]);
    await close(gateway.server);
  });
});
