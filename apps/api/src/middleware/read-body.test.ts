import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { createBodyMemory, createBodyPace } from './body-limits';
import { createReadBody } from './read-body';

const pace = createBodyPace({ timeoutMs: 60_000, windowMs: 60_000, minBytes: 0 });
const memory = createBodyMemory({ maxBytes: 1_000_000, maxBodyBytes: 10 });

/** A call whose body is still arriving. `readBody` uses only its stream, its headers and the end of its response. */
function begin({ stream = new PassThrough(), maxBodyBytes = 10 } = {}) {
  const readBody = createReadBody({ maxBodyBytes, kind: 'account', memory, pace });
  const req = Object.assign(stream, { headers: { 'transfer-encoding': 'chunked' } });
  const body = readBody(req as never, new EventEmitter() as never, 'account');
  return { stream, body };
}

describe('readBody', () => {
  test('joins the chunks', async () => {
    const { stream, body } = begin();
    stream.write('{"a"');
    stream.end(':1}');
    expect(String(await body)).toBe('{"a":1}');
  });

  test('keeps one-byte chunks in a buffer of at most twice their size', async () => {
    const { stream, body } = begin({ maxBodyBytes: 20_000 });
    for (let count = 0; count < 5_000; count += 1) stream.write(String(count % 10));
    stream.end();
    const read = await body;
    expect(String(read)).toBe('0123456789'.repeat(500));
    expect(read.buffer.byteLength).toBeLessThanOrEqual(10_000);
  });

  test('stops waiting when the caller disconnects', async () => {
    const { stream, body } = begin();
    stream.write('{"a"');
    stream.destroy();
    await expect(body).rejects.toMatchObject({ code: 'bad_request' });
  });

  test('does not wait for a caller that is already disconnected', async () => {
    const stream = new PassThrough().destroy();
    await once(stream, 'close');
    await expect(begin({ stream }).body).rejects.toMatchObject({ code: 'bad_request' });
  });
});
