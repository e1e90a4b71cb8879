import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { createBodyMemory } from './body-memory';
import { createBodyPace } from './body-pace';
import { createReadBody } from './read-body';

const pace = createBodyPace({ timeoutMs: 60_000, windowMs: 60_000, minBytes: 0 });
const memory = createBodyMemory({ maxBytes: 1_000_000, maxBodyBytes: 10 });

/** A call that is still being written: only its stream, its headers and the end of its answer are looked at. */
function begin({ stream = new PassThrough(), maxBodyBytes = 10 } = {}) {
  const readBody = createReadBody({ maxBodyBytes, kind: 'account', memory, pace });
  const req = Object.assign(stream, { headers: { 'transfer-encoding': 'chunked' } });
  const body = readBody(req as never, new EventEmitter() as never, 'account');
  return { stream, body };
}

describe('readBody', () => {
  test('puts the pieces together', async () => {
    const { stream, body } = begin();
    stream.write('{"a"');
    stream.end(':1}');
    expect(String(await body)).toBe('{"a":1}');
  });

  test('holds a body of one-byte chunks in one buffer that is at most twice as large', async () => {
    const { stream, body } = begin({ maxBodyBytes: 20_000 });
    for (let count = 0; count < 5_000; count += 1) stream.write(String(count % 10));
    stream.end();
    const read = await body;
    expect(String(read)).toBe('0123456789'.repeat(500));
    expect(read.buffer.byteLength).toBeLessThanOrEqual(10_000);
  });

  test('does not wait for a caller that has left', async () => {
    const { stream, body } = begin();
    stream.write('{"a"');
    stream.destroy();
    await expect(body).rejects.toMatchObject({ code: 'bad_request' });
  });

  test('does not wait for a caller that had left before', async () => {
    const stream = new PassThrough().destroy();
    await once(stream, 'close');
    await expect(begin({ stream }).body).rejects.toMatchObject({ code: 'bad_request' });
  });
});
