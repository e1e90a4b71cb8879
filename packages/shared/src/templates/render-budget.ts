import { maxRenderUnits } from './limits';

/**
 * The budget that one message has left for rendering, over all its fields. One unit is about 20 ns of work on the slowest
 * path we measured, or the memory of a few characters: `npm run abuse` measures both.
 */
export type RenderBudget = { units: number };

export function createRenderBudget(): RenderBudget {
  return { units: maxRenderUnits };
}

/** Ends a rendering from any depth. `renderTemplate` catches it and returns `too_complex`; nobody else sees it. */
export class BudgetExceeded extends Error {}

/** Called before the work is done. Throws BudgetExceeded when the budget is used up, and stays used up. */
export function charge(budget: RenderBudget, units: number): void {
  budget.units -= units;
  if (budget.units < 0) throw new BudgetExceeded();
}

/** For a text that is made and may never be printed; called before it is made. */
export function chargeText(budget: RenderBudget, characters: number): void {
  charge(budget, Math.ceil(characters / charactersPerUnit));
}

const charactersPerUnit = 4;

/** Units of one step of each kind: at least its measured time divided by the time of a unit. */
export const cost = {
  node: 2,
  expression: 2,
  /** A value that is printed: it is cleaned, escaped and added, however short it is. */
  print: 12,
  /** A helper beside its arguments. */
  call: 3,
  /** Each name or `..` of a path. */
  pathStep: 2,
  /** One element of a list that is walked or joined. */
  element: 3,
  /** One member of an object that is walked: its names and values are listed first. */
  member: 12,
  /** Lists are made of the paths, and each is looked up once more. */
  missingPath: 60,
  /** One value inside of what is written as JSON. */
  jsonValue: 7,
  number: 100,
  date: 200,
  plural: 200,
  /** Making a formatter takes about 0.2 ms and 0.1 MB outside of the JavaScript heap. */
  newFormat: 20_000,
  /** Each character that is added to a text: it is cleaned, escaped, checked and encoded as well. */
  outputCharacter: 2,
} as const;
