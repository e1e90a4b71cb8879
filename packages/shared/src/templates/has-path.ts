import type { Data } from '../data';
import type { Value } from './nodes';
import { getMember } from './values';

/**
 * Whether data has a path in the notation of `Template.paths`. The first elements of a list must all have the rest of the
 * path. An empty or missing list counts as complete, because its own path is listed too.
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

/** The elements that `#each` iterates over. */
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
