import type { Data } from '../data';
import { evaluate, listMissingPaths, type Scope } from './evaluate';
import { defaultMaxOutputCharacters } from './limits';
import type { BlockNode, Expression, PrintNode, Template, TemplateNode, Value } from './nodes';
import {
  BudgetExceeded,
  charge,
  cost,
  createRenderBudget,
  type RenderBudget,
} from './render-budget';
import { isTruthy, toText } from './values';

export type RenderOptions = {
  /**
   * Called once for each printed value, with the node that prints it and the position in the output. The template's own
   * text is never escaped.
   */
  escape: (value: string, print: { id: number; isRaw: boolean }, at: number) => string;
  /** In UTF-16 units. */
  maxOutputLength?: number;
  /** Shared by all fields of a message. Default: a new budget. */
  budget?: RenderBudget;
};

/** `missing` lists the paths that were missing where nothing was printed: as written, without duplicates. */
export type Rendered =
  | { text: string; missing: string[] }
  | { failed: 'too_long' | 'too_complex'; detail: string };

/** Renders any JSON data. Never throws, and never parses values as template text. */
export function renderTemplate(template: Template, data: Data, options: RenderOptions): Rendered {
  const run: Run = {
    escape: options.escape,
    maxOutputLength: options.maxOutputLength ?? defaultMaxOutputCharacters,
    budget: options.budget ?? createRenderBudget(),
    text: '',
    missing: undefined,
    isTooLong: false,
  };
  const top: Scope = { value: data, parent: undefined, key: undefined, index: 0, isLast: false };
  try {
    renderNodes(template.nodes, top, run);
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    return { failed: 'too_complex', detail: tooComplex };
  }
  if (run.isTooLong) {
    const detail = `The text is longer than ${run.maxOutputLength} characters.`;
    return { failed: 'too_long', detail };
  }
  return { text: run.text, missing: run.missing ? [...run.missing] : [] };
}

const tooComplex =
  'Rendering the templates with this data exceeds the limit of work per message. Use fewer loops, shorter lists or shorter texts.';

type Run = {
  readonly escape: RenderOptions['escape'];
  readonly maxOutputLength: number;
  readonly budget: RenderBudget;
  text: string;
  missing: Set<string> | undefined;
  isTooLong: boolean;
};

function renderNodes(nodes: readonly TemplateNode[], scope: Scope, run: Run): void {
  for (const node of nodes) {
    charge(run.budget, cost.node);
    if (node.kind === 'text') append(node.text, run);
    else if (node.kind === 'print') print(node, scope, run);
    else renderBlock(node, scope, run);
    if (run.isTooLong) return;
  }
}

/** `charged` characters were charged before. */
function append(text: string, run: Run, charged = 0): void {
  charge(run.budget, Math.max(0, text.length - charged) * cost.outputCharacter);
  if (run.text.length + text.length <= run.maxOutputLength) run.text += text;
  else run.isTooLong = true;
}

function print(node: PrintNode, scope: Scope, run: Run): void {
  const value = evaluate(node.value, scope, run.budget);
  if (value === null) return;
  const text = toText(value, run.budget);
  if (text === undefined) {
    recordMissing(node.value, scope, run);
    return;
  }
  charge(run.budget, cost.print + text.length * cost.outputCharacter);
  // Escaping makes a text up to 6 times as long, so a text that is already too long is not escaped.
  if (run.text.length + text.length > run.maxOutputLength) run.isTooLong = true;
  else append(run.escape(text, node, run.text.length), run, text.length);
}

function recordMissing(expression: Expression, scope: Scope, run: Run): void {
  run.missing ??= new Set();
  for (const path of listMissingPaths(expression, scope, run.budget)) run.missing.add(path);
}

function renderBlock(block: BlockNode, scope: Scope, run: Run): void {
  const subject = evaluate(block.subject, scope, run.budget);
  const [main, otherwise] = block.branches;
  if (block.name === 'if' || block.name === 'unless') {
    const isTrue = isTruthy(subject, countsZero(block, scope, run));
    renderNodes(isTrue === (block.name === 'if') ? main : otherwise, scope, run);
    return;
  }
  const hasShown =
    block.name === 'with'
      ? renderWith(main, innerScope(scope, subject), run)
      : renderEach(main, innerScope(scope, subject), run);
  if (hasShown) return;
  if (subject === undefined && otherwise.length === 0) recordMissing(block.subject, scope, run);
  renderNodes(otherwise, scope, run);
}

function countsZero({ includeZero }: BlockNode, scope: Scope, run: Run): boolean {
  return includeZero !== undefined && isTruthy(evaluate(includeZero, scope, run.budget));
}

function innerScope(parent: Scope, value: Value): Scope {
  return { value, parent, key: undefined, index: 0, isLast: false };
}

function renderWith(nodes: readonly TemplateNode[], scope: Scope, run: Run): boolean {
  if (!isTruthy(scope.value, true)) return false;
  renderNodes(nodes, scope, run);
  return true;
}

/** One iteration for each element or member. All iterations share one scope object: nothing keeps a reference to it. */
function renderEach(nodes: readonly TemplateNode[], scope: Scope, run: Run): boolean {
  const walked = scope.value;
  if (typeof walked !== 'object' || walked === null) return false;
  const keys = Array.isArray(walked) ? undefined : Object.keys(walked);
  const values = Array.isArray(walked) ? walked : Object.values(walked);
  charge(run.budget, values.length * (keys ? cost.member : cost.element));
  for (const [index, value] of values.entries()) {
    scope.value = value;
    scope.key = keys?.[index] ?? index;
    scope.index = index;
    scope.isLast = index === values.length - 1;
    renderNodes(nodes, scope, run);
    if (run.isTooLong) break;
  }
  return values.length > 0;
}
