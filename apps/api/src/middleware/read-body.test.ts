import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { createBodyRoom, createReadBody } from './read-body';

const options = { maxBodyBytes: 10, bodyTimeoutMs: 60_000, room: createBodyRoom(100) };

/** A call that is still being written: only its stream, its headers and the end of its answer are looked at. */
function begin(readBody: ReturnType<typeof createReadBody>) {
  const stream = new PassThrough();
  const req = Object.assign(stream, { headers: {} });
  const body = readBody(req as never, new EventEmitter() as never);
  return { stream, body };
}

describe('readBody', () => {
  test('puts the pieces together', async () => {
    const { stream, body } = begin(createReadBody(options));
    stream.write('{"a"');
    stream.end(':1}');
    expect(String(await body)).toBe('{"a":1}');
  });

  test('does not wait for a caller that has left', async () => {
    const { stream, body } = begin(createReadBody(options));
    stream.write('{"a"');
    stream.destroy();
    await expect(body).rejects.toMatchObject({ code: 'bad_request' });
  });

  test('does not wait for a caller that had left before', async () => {
    const stream = new PassThrough().destroy();
    await once(stream, 'close');
    const req = Object.assign(stream, { headers: {} });
    const body = createReadBody(options)(req as never, new EventEmitter() as never);
    await expect(body).rejects.toMatchObject({ code: 'bad_request' });
  });
});
