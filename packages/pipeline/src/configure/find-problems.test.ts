import { operatorInput } from '@belfry/shared';
import { type StepCounter, startStepCounter } from '@belfry/testing';
import { Type } from '@sinclair/typebox';
import type * as FindProblems from './find-problems';

const { nameSchema } = operatorInput;

let steps: StepCounter;
let findProblems: typeof FindProblems.findProblems;

// Loaded before the counter starts, so it is not counted.
beforeAll(() => {
  jest.resetModules();
  steps = startStepCounter();
  ({ findProblems } = jest.requireActual<typeof FindProblems>('./find-problems'));
});
afterAll(() => steps.stop());

/** The pattern needs a step for each pair of characters. */
const slow = Type.String({ maxLength: 60, pattern: '^[a-z]*[a-z][a-z]*$' });
const texts = ['a', ' ', '\n', 'é'].map((piece) => ({
  name: piece,
  repeat: (times: number) => `${piece.repeat(times)}\n`,
}));

describe('the problems of a body', () => {
  test.each([
    ['a text', slow, (text: string) => text],
    ['a member', Type.Object({ a: Type.Optional(slow) }), (text: string) => ({ a: text })],
    ['an element', Type.Array(slow), (text: string) => ['a', text]],
    ['a member of any name', Type.Record(Type.String(), slow), (text: string) => ({ a: text })],
    ['one of two', Type.Union([slow, Type.Number()]), (text: string) => text],
  ])('are found without running the pattern when %s is too long', (_place, schema, createBody) => {
    const read = (text: string) => findProblems(schema, createBody(text), '');
    expect(steps.findSuperlinear(read, texts)).toEqual([]);
  });

  test('include too long texts and everything else except patterns', () => {
    const schema = Type.Object({ a: slow, b: slow, c: Type.Number(), pattern: Type.Boolean() });
    const body = { a: 'a'.repeat(61), b: '!', c: '1', pattern: 'true' };
    expect(findProblems(schema, body, '').map(({ path }) => path)).toEqual(['a', 'c', 'pattern']);
    expect(findProblems(schema, { ...body, a: 'a' }, '').map(({ path }) => path)).toEqual([
      ...['b', 'c', 'pattern'],
    ]);
  });
});

describe('a problem', () => {
  test.each([
    [Type.Integer({ minimum: 1 }), 0, 'must be at least 1'],
    [Type.Number({ maximum: 9 }), 10, 'must be at most 9'],
    [Type.Integer(), 1.5, 'must be a whole number'],
    [Type.String(), 1, 'must be a text'],
    [Type.Boolean(), 'yes', 'must be true or false'],
    [Type.String({ pattern: '^a$' }), 'b', 'has the wrong format'],
    [Type.Object({ a: Type.String() }), {}, 'is missing'],
  ])('continues the name of its field: %#', (schema, value, problem) => {
    expect(findProblems(schema, value, 'field')[0]?.problem).toBe(problem);
  });
});

describe('a name', () => {
  test.each(['a', ' a ', 'é', 'a\u00a0b', 'a'.repeat(128)])('may be %j', (name) => {
    expect(findProblems(nameSchema, name, '')).toEqual([]);
  });

  test.each(['', ' ', '\u00a0\u2003', 'a\n', '\u0000a', 'a\u007f', 'a'.repeat(129)])(
    'may not be %j',
    (name) => {
      expect(findProblems(nameSchema, name, '')).toHaveLength(1);
    },
  );
});
