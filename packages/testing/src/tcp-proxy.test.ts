import net, { type AddressInfo, type Socket } from 'node:net';
import { createTcpProxy, type TcpProxy } from './tcp-proxy';

let store: net.Server;
let proxy: TcpProxy;
let storeText: string;

/** Answers each chunk with `ok:` before it. */
beforeEach(async () => {
  storeText = '';
  store = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (piece) => {
      storeText += String(piece);
      socket.write(`ok:${piece}`);
    });
  });
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  proxy = await createTcpProxy(`tcp://127.0.0.1:${(store.address() as AddressInfo).port}/0`);
});

afterEach(async () => {
  await proxy.close();
  await new Promise((resolve) => store.close(resolve));
});

function connect(): { socket: Socket; getReceivedText: () => string; closed: Promise<unknown> } {
  const socket = net.connect(Number(new URL(proxy.url).port), '127.0.0.1');
  let receivedText = '';
  socket.on('error', () => undefined);
  socket.on('data', (piece) => {
    receivedText += String(piece);
  });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  return { socket, getReceivedText: () => receivedText, closed };
}

async function waitUntil(isTrue: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 500 && !isTrue(); attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(isTrue()).toBe(true);
}

describe('createTcpProxy', () => {
  test('passes bytes both ways', async () => {
    const { socket, getReceivedText } = connect();
    socket.write('a');
    await waitUntil(() => getReceivedText() === 'ok:a');
    socket.destroy();
  });

  test('holds a request before the store sees it, until it is released', async () => {
    const interception = proxy.intercept('request', 'commit');
    const { socket, getReceivedText } = connect();
    socket.write('commit');
    await interception.reached;
    expect(storeText).toBe('');
    interception.pass();
    await waitUntil(() => getReceivedText() === 'ok:commit');
    socket.destroy();
  });

  test('holds the answer to a request that the store has seen', async () => {
    const interception = proxy.intercept('answer_to', 'commit');
    const { socket, getReceivedText } = connect();
    socket.write('commit');
    await waitUntil(() => storeText === 'commit');
    expect(getReceivedText()).toBe('');
    interception.pass();
    await waitUntil(() => getReceivedText() === 'ok:commit');
    socket.destroy();
  });

  test('discards held bytes, and breaks that connection only', async () => {
    const otherConnection = connect();
    otherConnection.socket.write('x');
    await waitUntil(() => otherConnection.getReceivedText() === 'ok:x');
    const interception = proxy.intercept('request', 'commit');
    const { socket, closed } = connect();
    socket.write('commit');
    await interception.reached;
    interception.drop();
    await closed;
    expect(storeText).toBe('x');
    otherConnection.socket.write('y');
    await waitUntil(() => otherConnection.getReceivedText() === 'ok:xok:y');
    otherConnection.socket.destroy();
  });
});

describe('a degraded link', () => {
  test('keeps the order of delayed bytes when it is restored', async () => {
    const { restore } = proxy.degrade({ latencyMs: 40 });
    const { socket, getReceivedText } = connect();
    socket.write('a');
    await new Promise((resolve) => setTimeout(resolve, 10));
    restore();
    socket.write('b');
    await waitUntil(() => getReceivedText().includes('b'));
    expect(storeText).toBe('ab');
    socket.destroy();
  });

  test('passes nothing as a black hole, and breaks connections that lost bytes when it is restored', async () => {
    const { restore } = proxy.degrade('black_hole');
    const { socket, closed } = connect();
    socket.write('a');
    await new Promise((resolve) => setTimeout(resolve, 30));
    restore();
    await closed;
    expect(storeText).toBe('');
  });

  test('can pass requests and drop the answers', async () => {
    const { restore } = proxy.degrade('answers_lost');
    const { socket, getReceivedText, closed } = connect();
    socket.write('a');
    await waitUntil(() => storeText === 'a');
    await new Promise((resolve) => setTimeout(resolve, 20));
    restore();
    await closed;
    expect(getReceivedText()).toBe('');
  });

  test('is reset on every connection', async () => {
    const { socket, getReceivedText, closed } = connect();
    const failed = new Promise<Error>((resolve) => socket.once('error', resolve));
    socket.write('a');
    await waitUntil(() => getReceivedText() === 'ok:a');
    proxy.reset();
    await closed;
    expect(await failed).toMatchObject({ code: 'ECONNRESET' });
  });

  test('keeps connections that lost nothing', async () => {
    const { socket, getReceivedText } = connect();
    socket.write('a');
    await waitUntil(() => getReceivedText() === 'ok:a');
    proxy.degrade('black_hole').restore();
    socket.write('b');
    await waitUntil(() => getReceivedText() === 'ok:aok:b');
    socket.destroy();
  });
});
