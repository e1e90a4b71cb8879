import { PassThrough } from 'node:stream';
import { createLogger, serialize } from './log';

describe('serialize', () => {
  test('keeps allowed fields and drops all others', () => {
    expect(
      serialize({ message_id: 'm', email: 'ana@example.com', authorization: 'AuthKey x' }),
    ).toEqual({
      message_id: 'm',
    });
  });

  test('keeps name, code and location of an error, but not its message, which may contain data', () => {
    const error = Object.assign(new Error('value "ana@example.com" is bad'), { code: '23505' });
    const serialized = serialize({ error });
    expect(JSON.stringify(serialized)).not.toContain('ana@example.com');
    expect(serialized).toMatchObject({ error: { name: 'Error', code: '23505' } });
  });

  test('truncates long texts and long lists', () => {
    const text = `a${'b'.repeat(300)}`;
    const error = Object.assign(new Error('x'), { name: text });
    const serialized = serialize({ name: text, roles: Array(60).fill(text), error });
    expect(serialized['name']).toBe(text.slice(0, 200));
    expect(serialized['roles']).toEqual(Array(50).fill(text.slice(0, 200)));
    expect(serialized['error']).toMatchObject({
      name: text.slice(0, 100),
      at: expect.arrayContaining([expect.stringMatching(/^at /)]),
    });
    expect(serialize({ error: 'text' })).toEqual({ error: { name: 'string' } });
  });

  test('keeps numbers, booleans and null, and drops objects', () => {
    const serialized = serialize({
      items: 0,
      status: null,
      name: false,
      reason: { text: 'secret' },
    });
    expect(serialized).toEqual({ items: 0, status: null, name: false });
  });

  test('never lets a value start a new line', () => {
    expect(serialize({ name: 'a\r\n{"level":"error"}\u2028b' })).toEqual({
      name: 'a  {"level":"error"} b',
    });
  });
});

describe('createLogger', () => {
  test('writes one JSON object per line, with the fields of its parents', async () => {
    const stream = new PassThrough();
    const log = createLogger({ level: 'info', process: 'api', stream }).child({ request_id: 'c' });
    log.info('call.answered', { status: 200 });
    log.debug('call.detail');
    await new Promise((resolve) => setImmediate(resolve));
    const lines = String(stream.read())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 'info',
      message: 'call.answered',
      process: 'api',
      request_id: 'c',
      status: 200,
    });
  });

  test('adds no exit listener per logger, as Node warns from the eleventh on', () => {
    const before = process.listenerCount('exit');
    createLogger({ level: 'error', process: 'test' });
    expect(process.listenerCount('exit')).toBe(before);
  });

  test('writes each field once: the entry’s own allowed field wins over its parents’', async () => {
    const stream = new PassThrough();
    const log = createLogger({ level: 'info', process: 'api', stream }).child({ state: 'open' });
    log.info('call', {
      state: 'circuit_open',
      process: 'x',
      email: 'ana@example.com',
      items: [1, 'a'],
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(
      String(stream.read())
        .replace(/"timestamp":"[^"]*"/, '"timestamp":""')
        .trim(),
    ).toBe(
      '{"level":"info","message":"call","process":"api","state":"circuit_open","items":[1,"a"],"timestamp":""}',
    );
  });
});
