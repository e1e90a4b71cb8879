import type { Data } from '../data';
import type { Value } from './nodes';
import { memberOf } from './values';

/**
 * Whether data holds a path as `Template.paths` writes it. Of a list each of the first elements must hold the rest; one
 * that is empty, or not there, lacks nothing: its own path is listed beside theirs.
 */
export function carriesPath(data: Data, path: string): boolean {
  return holds(data, stepsOf(path));
}

const maxElements = 20;
const eachElement = Symbol('each element');
type Step = string | typeof eachElement;

function holds(value: Value, [step, ...rest]: readonly Step[]): boolean {
  if (step === undefined) return value !== undefined;
  if (step !== eachElement) return holds(memberOf(value, step), rest);
  return elementsOf(value).every((element) => holds(element, rest));
}

/** What `#each` walks. */
function elementsOf(value: Value): Value[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).slice(0, maxElements);
}

/** `[]`, a name in brackets, a plain name. */
// pattern-ignore: A path of a template has at most 500 characters.
const stepPattern = /\[\]|\[((?:\\\]|[^\]])+)\]|([^.[\]]+)/g;

function stepsOf(path: string): Step[] {
  const steps = [...path.matchAll(stepPattern)].map(([, bracketed, plain]): Step => {
    if (bracketed !== undefined) return bracketed.replaceAll('\\]', ']');
    return plain ?? eachElement;
  });
  return /^this(?![^.[])/.test(path) ? steps.slice(1) : steps;
}
