import { type AST, RegExpParser } from '@eslint-community/regexpp';

export type Instruction =
  /** Continues after the match at the position; undefined if there is none. */
  | { kind: 'test'; test: (text: string, at: number) => number | undefined }
  /** Continues at `first`, and at `second` if that fails. */
  | { kind: 'split'; first: number; second: number }
  | { kind: 'jump'; to: number }
  | { kind: 'look'; program: Program; isNegated: boolean };

export type Program = readonly Instruction[];

/**
 * A regular expression as instructions of a machine that backtracks like V8, without its optimizations. Back references
 * and empty loop iterations are refused, and a lookbehind counts as one step. No pattern here needs more.
 */
export function compilePattern(
  source: string,
  flags: string,
): { program: Program; isAnchored: boolean } {
  const modes = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  const tree = new RegExpParser().parsePattern(source, 0, source.length, modes);
  return {
    program: compile(flags.replace(/[dgy]/g, ''), tree.alternatives),
    isAnchored: !flags.includes('m') && tree.alternatives.every(startsText),
  };
}

function startsText({ elements: [first] }: AST.Alternative): boolean {
  return first?.type === 'Assertion' && first.kind === 'start';
}

type Assembly = { flags: string; program: Instruction[] };

function compile(flags: string, alternatives: readonly AST.Alternative[]): Program {
  const assembly = { flags, program: [] };
  addAlternatives(assembly, alternatives);
  return assembly.program;
}

function addAlternatives(assembly: Assembly, [first, ...others]: readonly AST.Alternative[]): void {
  const addFirst = () => {
    for (const element of first?.elements ?? []) addElement(assembly, element);
  };
  const { program } = assembly;
  if (others.length === 0) {
    addFirst();
    return;
  }
  const leave = addSplit(program, true);
  addFirst();
  const jump = { kind: 'jump' as const, to: 0 };
  program.push(jump);
  leave();
  addAlternatives(assembly, others);
  jump.to = program.length;
}

/** Continues with the following instruction first, or with the target at the time of the call, and with the other if that fails. */
function addSplit(program: Instruction[], isNextFirst: boolean): () => void {
  const split = { kind: 'split' as const, first: program.length + 1, second: program.length + 1 };
  program.push(split);
  return function leaveTo() {
    split[isNextFirst ? 'second' : 'first'] = program.length;
  };
}

function addElement(assembly: Assembly, element: AST.Element): void {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      addAlternatives(assembly, element.alternatives);
      break;
    case 'Quantifier':
      addQuantifier(assembly, element);
      break;
    case 'Assertion':
      addAssertion(assembly, element);
      break;
    case 'Backreference':
      throw new Error(`Cannot count the steps of ${element.raw}`);
    default:
      assembly.program.push({
        kind: 'test',
        test: createCharacterTest(element.raw, assembly.flags),
      });
  }
}

function addQuantifier(assembly: Assembly, { min, max, greedy, element }: AST.Quantifier): void {
  const { program } = assembly;
  for (let round = 0; round < min; round += 1) addElement(assembly, element);
  if (max === Number.POSITIVE_INFINITY) {
    addLoop(assembly, element, greedy);
    return;
  }
  const leaves: (() => void)[] = [];
  for (let round = min; round < max; round += 1) {
    leaves.push(addSplit(program, greedy));
    addElement(assembly, element);
  }
  for (const leave of leaves) leave();
}

function addLoop(assembly: Assembly, element: AST.QuantifiableElement, isGreedy: boolean): void {
  if (canBeEmpty(element)) throw new Error(`Cannot count the steps of ${element.raw}`);
  const { program } = assembly;
  const start = program.length;
  const leave = addSplit(program, isGreedy);
  addElement(assembly, element);
  program.push({ kind: 'jump', to: start });
  leave();
}

/** Iterations that match nothing would never end. */
function canBeEmpty(element: AST.Element): boolean {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives.some(({ elements }) => elements.every(canBeEmpty));
    case 'Quantifier':
      return element.min === 0 || canBeEmpty(element.element);
    default:
      return element.type === 'Assertion';
  }
}

function addAssertion(assembly: Assembly, assertion: AST.Assertion): void {
  const { program, flags } = assembly;
  if (assertion.kind === 'lookahead') {
    const inner = compile(assembly.flags, assertion.alternatives);
    program.push({ kind: 'look', program: inner, isNegated: assertion.negate });
    return;
  }
  const pattern = new RegExp(assertion.raw, `${flags}y`);
  const test = (text: string, at: number) => (matchesAt(pattern, text, at) ? at : undefined);
  program.push({ kind: 'test', test });
}

/** An original built-in, which the step counter has not replaced. */
const { exec } = RegExp.prototype;

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return exec.call(pattern, text) !== null;
}

function createCharacterTest(raw: string, flags: string) {
  const pattern = new RegExp(raw, `${flags}y`);
  const isWide = /[uv]/.test(flags);
  const verdicts = new Map<number, boolean>();
  return function testCharacter(text: string, at: number): number | undefined {
    if (at >= text.length) return undefined;
    const code = (isWide ? text.codePointAt(at) : text.charCodeAt(at)) ?? 0;
    const isMatch = verdicts.get(code) ?? matchesAt(pattern, text, at);
    verdicts.set(code, isMatch);
    return isMatch ? at + getWidth(code) : undefined;
  };
}

function getWidth(code: number): number {
  return code > 0xffff ? 2 : 1;
}
