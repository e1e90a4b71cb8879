import fc from 'fast-check';
import { findMagicWordOfEmail, parseEmailAddress } from './address';

describe('parseEmailAddress', () => {
  test.each([
    ['bob@example.org', 'bob@example.org'],
    ['  bob@example.org ', 'bob@example.org'],
    ['bob+tag@example.org', 'bob+tag@example.org'],
    ['Bob.Smith@EXAMPLE.org', 'Bob.Smith@example.org'],
    ["o'neill@example.org", "o'neill@example.org"],
    ['bob@exämple.org', 'bob@xn--exmple-cua.org'],
    ['bob@例え.jp', 'bob@xn--r8jz45g.jp'],
    ['bob@ｅｘａｍｐｌｅ.org', 'bob@example.org'],
    ['grå@example.org', 'grå@example.org'],
    ['grå@grå.org', 'grå@xn--gr-zia.org'],
    [`${'a'.repeat(64)}@example.org`, `${'a'.repeat(64)}@example.org`],
  ])('accepts %j as %s', (input, address) => {
    expect(parseEmailAddress(input)).toMatchObject({ address });
  });

  test('notes each change, and nothing else', () => {
    expect(parseEmailAddress('bob@exämple.org')).toHaveProperty(
      'note',
      '"bob@exämple.org" was changed to bob@xn--exmple-cua.org',
    );
    expect(parseEmailAddress(' bob@example.org')).not.toHaveProperty('note');
  });

  test.each([
    ['', 'exactly one @'],
    ['bob', 'exactly one @'],
    ['a@x.org,b@y.org', 'exactly one @'],
    ['a@x.org;b@y.org', 'exactly one @'],
    ['"xclow3n@gmail.com x"@internal.domain', 'exactly one @'],
    ['@example.org', 'nothing before'],
    ['bob@', 'not a valid host name'],
    ['bob @example.org', 'space'],
    ['"bob"@example.org', 'quote'],
    ['bob,eve@example.org', 'comma'],
    ['bob@example.org\r\nBcc: eve', 'space, quote'],
    ['bob@example.org\r\nBcc: eve@evil.org', 'exactly one @'],
    ['Bob <bob@example.org>', 'bracket'],
    ['bob\u0000@example.org', 'control character'],
    ['bob\u200b@example.org', 'control character'],
    ['bob\ud83d@example.org', 'control character'],
    ['bob@localhost', 'without a dot'],
    ['bob@[127.0.0.1]', 'bracket'],
    ['bob@127.0.0.1', 'not a valid host name'],
    ['bob@0x7f.1', 'not a valid host name'],
    ['bob@exa_mple.org', 'not a valid host name'],
    ['bob@-example.org', 'not a valid host name'],
    ['bob@example..org', 'not a valid host name'],
    ['bob@ex%61mple.org', 'not a valid host name'],
    ['bob@example.org/x', 'not a valid host name'],
    ['bob@example.org?x', 'not a valid host name'],
    ['bob@example.org#x', 'not a valid host name'],
    ['bob@example.org／x', 'not a valid host name'],
    [`${'a'.repeat(65)}@example.org`, 'more than 64'],
    [
      `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(20)}.org`,
      'longer than 254',
    ],
  ])('refuses %j with the reason', (input, problem) => {
    expect(parseEmailAddress(input)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test('never returns an address that could be read as two addresses or as a header', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 80 }),
        fc.string({ maxLength: 30 }),
        (local, domain) => {
          const parsed = parseEmailAddress(`${local}@${domain}.org`);
          if ('address' in parsed)
            expect(parsed.address).toMatch(/^[^\s@,;:<>()"\\]+@[a-z0-9.-]+$/);
        },
      ),
    );
  });
});

test.each([
  ['sandbox+bounce@example.com', 'bounce'],
  ['Sandbox+Bounce@example.com', 'bounce'],
  ['sandbox@example.com', undefined],
  ['bob+bounce@example.com', undefined],
])('the magic word of %s is %s', (address, word) => {
  expect(findMagicWordOfEmail(address)).toBe(word);
});
