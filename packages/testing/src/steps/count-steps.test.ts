import { type StepCounter, startStepCounter } from './count-steps';
import type * as Planted from './planted.fixture';

let steps: StepCounter;
let planted: typeof Planted;

beforeAll(() => {
  steps = startStepCounter();
  planted = jest.requireActual<typeof Planted>('./planted.fixture');
});
afterAll(() => steps.stop());

function findSuperlinear(name: keyof typeof Planted, piece: string): string[] {
  const repeat = (times: number) => `${piece.repeat(times)}!`;
  const harmless = { name: 'b', repeat: (times: number) => 'b'.repeat(times) };
  return steps.findSuperlinear(planted[name], [harmless, { name: piece, repeat }]);
}

test.each<[keyof typeof Planted, string]>([
  ['readOnce', 'ab '],
  ['readOnce', '"'],
])('finds nothing in a function that reads the text once: %s of %j', (name, piece) => {
  expect(findSuperlinear(name, piece)).toEqual([]);
});

test.each<[keyof typeof Planted, string]>([
  ['copyList', 'a'],
  ['cutRest', 'a'],
  ['trimEnd', ' '],
  ['findWord', 'a'],
  ['findQuotes', '"\\'],
  ['joinWords', 'a '],
])('finds the text that needs a step for each pair of characters: %s of %j', (name, piece) => {
  expect(findSuperlinear(name, piece)).toEqual(expect.arrayContaining([piece]));
});

test('finds the block that runs for each pair of characters', () => {
  expect(findSuperlinear('comparePairs', 'a')).toContainEqual(
    expect.stringMatching(/^comparePairs .*: \d+ -> \d+$/),
  );
});
