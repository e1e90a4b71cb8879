import { maxRenderUnits } from './limits';

/**
 * The remaining budget of one message for rendering all its fields. One unit is about 20 ns of work on the slowest
 * measured path, or the memory of a few characters. `npm run abuse` measures both.
 */
export type RenderBudget = { units: number };

export function createRenderBudget(): RenderBudget {
  return { units: maxRenderUnits };
}

/** Aborts a rendering at any depth. `renderTemplate` catches it and returns `too_complex`; no other code sees it. */
export class BudgetExceeded extends Error {}

/** Called before the work. Throws BudgetExceeded if the budget does not suffice; the budget then stays empty. */
export function charge(budget: RenderBudget, units: number): void {
  budget.units -= units;
  if (budget.units < 0) throw new BudgetExceeded();
}

/** For a text that may never be printed; called before it is created. */
export function chargeText(budget: RenderBudget, characters: number): void {
  charge(budget, Math.ceil(characters / charactersPerUnit));
}

const charactersPerUnit = 4;

/** Units per step of each kind: at least its measured time divided by the time of a unit. */
export const cost = {
  node: 2,
  expression: 2,
  /** Printing a value: cleaning, escaping and appending, whatever its length. */
  print: 12,
  /** A helper call without its arguments. */
  call: 3,
  /** Each name or `..` of a path. */
  pathStep: 2,
  /** One element of a list in a loop or join. */
  element: 3,
  /** One member of an object in a loop: names and values are listed first. */
  member: 12,
  /** A missing path: it is added to lists and looked up again. */
  missingPath: 60,
  /** One value inside of a JSON text. */
  jsonValue: 7,
  number: 100,
  date: 200,
  plural: 200,
  /** Creating a formatter takes about 0.2 ms and 0.1 MB outside of the JavaScript heap. */
  newFormat: 20_000,
  /** Each character of the output is also cleaned, escaped, checked and encoded. */
  outputCharacter: 2,
} as const;
