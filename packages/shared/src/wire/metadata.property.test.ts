import fc from 'fast-check';
import { AppError } from '../errors';
import { wireMetadata } from './metadata';
import { createValidator } from './validate';

const numRuns = process.env['TEST_FULL'] ? 20_000 : 1_000;

const validate = createValidator(wireMetadata);

function getProblems(metadata: unknown): string[] {
  try {
    validate(metadata, ['metadata']);
    return [];
  } catch (error) {
    if (error instanceof AppError) return error.problems.map(({ problem }) => problem);
    throw error;
  }
}

const text = (maxLength: number) => fc.string({ maxLength, unit: 'binary' });
const key = fc.string({ minLength: 1, maxLength: 64, unit: 'binary' });
const metadata = fc.dictionary(key, text(500), { maxKeys: 50 });

test('metadata within its limits is accepted, whatever its characters', () => {
  fc.assert(
    fc.property(metadata, (value) => {
      expect(getProblems(value)).toEqual([]);
    }),
    { numRuns },
  );
});

test.each<[string, fc.Arbitrary<[string, unknown]>]>([
  ['a key that is empty or too long', fc.tuple(fc.constantFrom('', 'k'.repeat(65)), text(5))],
  ['a value that is too long', fc.tuple(key, fc.constantFrom('v'.repeat(501), '👋'.repeat(501)))],
  ['a value that is no text', fc.tuple(key, fc.constantFrom<unknown>(1, true, [], {}, ['a']))],
])('metadata with %s is refused, whatever else it has', (_what, entry) => {
  const others = fc.dictionary(key, text(500), { maxKeys: 49 });
  fc.assert(
    fc.property(others, entry, (value, [name, wrong]) => {
      const body = Object.fromEntries([...Object.entries(value), [name, wrong]]);
      expect(getProblems(body)).toHaveLength(1);
    }),
    { numRuns },
  );
});

test('metadata with more than 50 keys is refused, with one problem', () => {
  const entries = fc.array(text(5), { minLength: 51, maxLength: 200 });
  fc.assert(
    fc.property(entries, (values) => {
      const body = Object.fromEntries(values.map((value, index) => [`k${index}`, value]));
      expect(getProblems(body)).toEqual(['must have at most 50 keys']);
    }),
    { numRuns },
  );
});
