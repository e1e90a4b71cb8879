import { redact } from './redact';

describe('a text that a server echoes', () => {
  test.each([
    ['key=abcd, again abcd', 'key=[credential], again [credential]'],
    ['Basic YWJjZA==', 'Basic [credential]=='],
    ['nothing secret', 'nothing secret'],
  ])('has no secret, plain or base64: %s', (text, clean) => {
    expect(redact(text, ['abcd', undefined])).toBe(clean);
  });

  test('keeps words that happen to contain a secret of fewer than four characters', () => {
    expect(redact('abcdef', ['abc', ''])).toBe('abcdef');
  });
});
