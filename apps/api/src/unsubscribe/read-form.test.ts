import type { Request } from 'express';
import { readForm } from './read-form';

const read = (type: string, body: string) =>
  readForm({ headers: { 'content-type': type } } as unknown as Request, Buffer.from(body));

const urlEncoded = 'application/x-www-form-urlencoded';
const part = (name: string, value: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

describe('a form', () => {
  test.each([
    [urlEncoded, 'List-Unsubscribe=One-Click&on=a+b&on=%C3%A4'],
    [`${urlEncoded}; charset=utf-8`, 'List-Unsubscribe=One-Click&on=a b&on=ä'],
    [
      'multipart/form-data; boundary="b"',
      `${part('List-Unsubscribe', 'One-Click')}${part('on', 'a b')}${part('on', 'ä')}--b--\r\n`,
    ],
  ])('as %s has each field with its values', (type, body) => {
    expect(Object.fromEntries(read(type, body))).toEqual({
      'List-Unsubscribe': ['One-Click'],
      on: ['a b', 'ä'],
    });
  });

  test('has no files', () => {
    const body = `${part('List-Unsubscribe', 'One-Click', '; filename="x"')}--b--\r\n`;
    expect(read('multipart/form-data; boundary=b', body)).toEqual(new Map());
  });

  test.each([
    ['', 415],
    ['text/plain', 415],
    ['application/json', 415],
    ['multipart/form-data', 400],
    ['multipart/form-data; boundary=other', 400],
    ['multipart/form-data; boundary=b', 400],
  ])('of type %j is refused with %i', (type, status) => {
    expect(() => read(type, part('a', 'b'))).toThrow(expect.objectContaining({ status }));
  });

  test.each([
    ['one field 32,768 times', urlEncoded, 'a&'.repeat(32_768)],
    ['1,200 parts', 'multipart/form-data; boundary=b', `${part('a', '').repeat(1_200)}--b--\r\n`],
    [
      'almost a boundary',
      'multipart/form-data; boundary=b',
      `${part('a', '\r\n--'.repeat(16_000))}--b--`,
    ],
    ['only escapes', urlEncoded, '%'.repeat(65_536)],
  ])('with %s is read without a long pause', (_, type, body) => {
    const startedAt = performance.now();
    read(type, body);
    // A quadratic reader takes seconds.
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});
