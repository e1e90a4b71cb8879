import { compilePattern, type Instruction, type Program } from './compile-pattern';

/** The number of steps that a backtracking machine takes to find a pattern in a text, from a position on. */
export function countMatchSteps(pattern: RegExp, text: string, from: number): number {
  const { program, isAnchored } = getCompiled(pattern);
  const lastStart = pattern.sticky || isAnchored ? from : text.length;
  let steps = 0;
  for (let start = from; start <= lastStart; start += 1) {
    const run = runProgram(program, text, start);
    steps += run.steps;
    if (run.isMatch) break;
  }
  return steps;
}

const compiled = new WeakMap<RegExp, ReturnType<typeof compilePattern>>();
/** A literal in a function is a new object in each call. */
const compiledByText = new Map<string, ReturnType<typeof compilePattern>>();

function getCompiled(pattern: RegExp): ReturnType<typeof compilePattern> {
  const compiledPattern = compiled.get(pattern) ?? getCompiledByText(pattern);
  compiled.set(pattern, compiledPattern);
  return compiledPattern;
}

function getCompiledByText({ source, flags }: RegExp): ReturnType<typeof compilePattern> {
  const key = `/${source}/${flags}`;
  const compiledPattern = compiledByText.get(key) ?? compilePattern(source, flags);
  compiledByText.set(key, compiledPattern);
  return compiledPattern;
}

/** Stack of program positions and text positions to continue from after a failure. */
type Pending = number[];

function runProgram(program: Program, text: string, start: number) {
  const pending: Pending = [0, start];
  let steps = 0;
  while (pending.length > 0) {
    const at = pending.pop() ?? 0;
    const next = pending.pop() ?? 0;
    steps += 1;
    const instruction = program[next];
    if (!instruction) return { steps, isMatch: true };
    steps += step(pending, instruction, { text, next, at });
  }
  return { steps, isMatch: false };
}

/** Adds the next positions; returns the additional steps. */
function step(
  pending: Pending,
  instruction: Instruction,
  { text, next, at }: { text: string; next: number; at: number },
): number {
  switch (instruction.kind) {
    case 'test': {
      const end = instruction.test(text, at);
      if (end !== undefined) pending.push(next + 1, end);
      return 0;
    }
    case 'split':
      pending.push(instruction.second, at, instruction.first, at);
      return 0;
    case 'jump':
      pending.push(instruction.to, at);
      return 0;
    case 'look': {
      const { isMatch, steps } = runProgram(instruction.program, text, at);
      if (isMatch !== instruction.isNegated) pending.push(next + 1, at);
      return steps;
    }
  }
}
