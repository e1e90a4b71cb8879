import type { Data } from '../data';
import type { Value } from './nodes';
import { getMember } from './values';

/**
 * Whether data holds a path as `Template.paths` writes it. Of a list each of the first elements must hold the rest; one
 * that is empty, or not there, lacks nothing: its own path is listed beside theirs.
 */
export function hasPath(data: Data, path: string): boolean {
  return hasSteps(data, parseSteps(path));
}

const maxElements = 20;
const eachElement = Symbol('each element');
type Step = string | typeof eachElement;

function hasSteps(value: Value, [step, ...rest]: readonly Step[]): boolean {
  if (step === undefined) return value !== undefined;
  if (step !== eachElement) return hasSteps(getMember(value, step), rest);
  return getElements(value).every((element) => hasSteps(element, rest));
}

/** What `#each` walks. */
function getElements(value: Value): Value[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).slice(0, maxElements);
}

/** `[]`, a name in brackets, a plain name. */
// pattern-ignore: A path of a template has at most 500 characters.
const stepPattern = /\[\]|\[((?:\\\]|[^\]])+)\]|([^.[\]]+)/g;

function parseSteps(path: string): Step[] {
  const steps = [...path.matchAll(stepPattern)].map(([, bracketed, plain]): Step => {
    if (bracketed !== undefined) return bracketed.replaceAll('\\]', ']');
    return plain ?? eachElement;
  });
  return /^this(?![^.[])/.test(path) ? steps.slice(1) : steps;
}
