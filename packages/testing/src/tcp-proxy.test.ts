import net, { type AddressInfo, type Socket } from 'node:net';
import { createTcpProxy, type TcpProxy } from './tcp-proxy';

let store: net.Server;
let proxy: TcpProxy;
let seen: string;

/** Answers each piece with `ok:` before it. */
beforeEach(async () => {
  seen = '';
  store = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (piece) => {
      seen += String(piece);
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

function connect(): { socket: Socket; said: () => string; closed: Promise<unknown> } {
  const socket = net.connect(Number(new URL(proxy.url).port), '127.0.0.1');
  let said = '';
  socket.on('error', () => undefined);
  socket.on('data', (piece) => {
    said += String(piece);
  });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  return { socket, said: () => said, closed };
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let turn = 0; turn < 500 && !isTrue(); turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(isTrue()).toBe(true);
}

describe('createTcpProxy', () => {
  test('passes bytes both ways', async () => {
    const { socket, said } = connect();
    socket.write('a');
    await until(() => said() === 'ok:a');
    socket.destroy();
  });

  test('holds a request before the store sees it, until it may pass', async () => {
    const held = proxy.hold('request', 'commit');
    const { socket, said } = connect();
    socket.write('commit');
    await held.reached;
    expect(seen).toBe('');
    held.pass();
    await until(() => said() === 'ok:commit');
    socket.destroy();
  });

  test('holds the answer of a request that the store has seen', async () => {
    const held = proxy.hold('answer_to', 'commit');
    const { socket, said } = connect();
    socket.write('commit');
    await until(() => seen === 'commit');
    expect(said()).toBe('');
    held.pass();
    await until(() => said() === 'ok:commit');
    socket.destroy();
  });

  test('throws away what it held, and breaks that connection only', async () => {
    const other = connect();
    other.socket.write('x');
    await until(() => other.said() === 'ok:x');
    const held = proxy.hold('request', 'commit');
    const { socket, closed } = connect();
    socket.write('commit');
    await held.reached;
    held.drop();
    await closed;
    expect(seen).toBe('x');
    other.socket.write('y');
    await until(() => other.said() === 'ok:xok:y');
    other.socket.destroy();
  });
});

describe('a way that is degraded', () => {
  test('keeps the order of what is under way when it is well again', async () => {
    const { restore } = proxy.degrade({ latencyMs: 40 });
    const { socket, said } = connect();
    socket.write('a');
    await new Promise((resolve) => setTimeout(resolve, 10));
    restore();
    socket.write('b');
    await until(() => said().includes('b'));
    expect(seen).toBe('ab');
    socket.destroy();
  });

  test('passes nothing as a black hole, and breaks what lost bytes when it is well again', async () => {
    const { restore } = proxy.degrade('black_hole');
    const { socket, closed } = connect();
    socket.write('a');
    await new Promise((resolve) => setTimeout(resolve, 30));
    restore();
    await closed;
    expect(seen).toBe('');
  });

  test('lets the store act, and loses its answers', async () => {
    const { restore } = proxy.degrade('answers_lost');
    const { socket, said, closed } = connect();
    socket.write('a');
    await until(() => seen === 'a');
    await new Promise((resolve) => setTimeout(resolve, 20));
    restore();
    await closed;
    expect(said()).toBe('');
  });

  test('is reset on every connection', async () => {
    const { socket, said, closed } = connect();
    const failed = new Promise<Error>((resolve) => socket.once('error', resolve));
    socket.write('a');
    await until(() => said() === 'ok:a');
    proxy.reset();
    await closed;
    expect(await failed).toMatchObject({ code: 'ECONNRESET' });
  });

  test('leaves alone what lost nothing', async () => {
    const { socket, said } = connect();
    socket.write('a');
    await until(() => said() === 'ok:a');
    proxy.degrade('black_hole').restore();
    socket.write('b');
    await until(() => said() === 'ok:aok:b');
    socket.destroy();
  });
});
