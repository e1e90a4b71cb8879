import net from 'node:net';
import { isAlive } from '@belfry/embedded';
import { type OwnStore, ownPostgres, ownRedis } from './own-stores';

jest.setTimeout(120_000);

const silentMs = 500;

describe.each([
  ['PostgreSQL', ownPostgres],
  ['Redis', ownRedis],
])('an own %s', (_name, create) => {
  let store: OwnStore;

  beforeAll(async () => {
    store = await create();
  });
  afterAll(() => store.remove());

  test('has the same URL after it was killed and restarted', async () => {
    const { pid, url } = store;
    await store.kill();
    expect(isAlive(pid)).toBe(false);
    expect(await answers(url)).toBe(false);
    await store.start();
    expect(store.url).toBe(url);
    expect(await answers(url)).toBe(true);
  });

  test('answers nothing while it is paused, and again when it resumes', async () => {
    await store.pause();
    expect(await answers(store.url)).toBe(false);
    store.resume();
    expect(await answers(store.url)).toBe(true);
  });

  test('is gone after it was removed, also while it was paused', async () => {
    const pausedStore = await create();
    await pausedStore.pause();
    await pausedStore.remove();
    expect(isAlive(pausedStore.pid)).toBe(false);
  });
});

/** No protocol starts with this byte, so either server answers with an error or closes. */
function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
    function end(isAnswered: boolean) {
      socket.destroy();
      resolve(isAnswered);
    }
    socket.setTimeout(silentMs, () => end(false));
    socket.on('error', () => end(false));
    socket.on('data', () => end(true));
    socket.on('connect', () => socket.write('?\r\n\r\n\r\n\r\n'));
    socket.on('end', () => end(true));
  });
}
