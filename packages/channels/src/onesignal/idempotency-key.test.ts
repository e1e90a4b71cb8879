import fc from 'fast-check';
import { createIdempotencyKey, createNamedUuid } from './idempotency-key';

test('a name-based UUID matches RFC 9562, appendix A.2', () => {
  const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
  expect(createNamedUuid(dns, 'www.example.com')).toBe('5df41881-3aed-3515-88a7-2f4a814cf09e');
});

test('the key of a message is a UUID of version 3, always the same, and different for another message', () => {
  fc.assert(
    fc.property(fc.uuid({ version: 7 }), fc.uuid({ version: 7 }), (one, other) => {
      const key = createIdempotencyKey(one);
      expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-3[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(createIdempotencyKey(one)).toBe(key);
      expect(createIdempotencyKey(other) === key).toBe(one === other);
    }),
  );
});
