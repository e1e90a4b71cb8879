import {
  appId,
  close,
  connect,
  createGateway,
  listen,
  otherAppId,
  sendPath,
} from './gateway.fixture';

type Path = 'direct' | 'by Express';

const body = '{"event":"e","user":{"email":"ana@example.com"}}';

type Call = {
  method?: string;
  target?: string;
  headers?: Record<string, string | undefined>;
  body?: string;
  allowHttp?: boolean;
};

/** Returns the response, the log lines and the metrics of a call, without values that differ between calls. */
async function answerTo(call: Call, path: Path) {
  const { server, auth, lines, counted, sent } = createGateway(
    { https: { allowHttp: call.allowHttp ?? true, isTrustedProxy: () => false } },
    { isDirect: path === 'direct' },
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
  const requestLine = `${call.method ?? 'POST'} ${call.target ?? sendPath} HTTP/1.1`;
  socket.write(`${[requestLine, ...head].join('\r\n')}\r\n\r\n${call.body ?? body}`);
  const text = await answer;
  await close(server);
  return {
    answer: text.replace(uuid, 'id').replace(/Date: .*/, ''),
    lines: lines.map(({ timestamp: _, duration_ms: _took, request_id: _id, ...line }) => line),
    counted: counted.map((each) => ({ ...each, seconds: 0 })),
    sent: sent.length,
  };
}

const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

describe('the direct route', () => {
  test.each<[string, Call]>([
    ['a send', {}],
    ['a send with a key', { headers: { 'Idempotency-Key': 'k1' } }],
    ['a key that is too long', { headers: { 'Idempotency-Key': 'k'.repeat(256) } }],
    ['no API key', { headers: { Authorization: undefined } }],
    ['another account’s app', { target: `/v1/apps/${otherAppId}/events/send` }],
    ['an app ID that is not a UUID', { target: `/v1/apps/${'-'.repeat(36)}/events/send` }],
    ['an app ID in capitals', { target: `/v1/apps/${appId.toUpperCase()}/events/send` }],
    ['a body that is not JSON', { body: '{' }],
    ['a body that breaks the schema', { body: '{"event":1}' }],
    ['a body that is too large', { body: JSON.stringify({ event: 'x'.repeat(20_000) }) }],
    ['a type that is not JSON', { headers: { 'Content-Type': 'text/plain' } }],
    ['refused plain HTTP', { allowHttp: false }],
    ['a query', { target: `${sendPath}?a=1` }],
    ['a trailing slash', { target: `${sendPath}/` }],
    ['another letter case', { target: sendPath.replace('send', 'SEND') }],
    ['an escape in the path', { target: sendPath.replace('send', '%73end') }],
    ['another method', { method: 'PUT' }],
    ['OPTIONS', { method: 'OPTIONS' }],
    ['an absolute target', { target: `http://h${sendPath}` }],
  ])('answers, logs and counts %s as Express does', async (_title, call) => {
    const direct = await answerTo(call, 'direct');
    expect(direct).toEqual(await answerTo(call, 'by Express'));
    expect(direct.answer).toMatch(/^HTTP\/1\.1 \d{3} /);
  });

  test('handles sends', async () => {
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
