import type { Data } from '../data';
import { evaluate, missingPaths, type Scope, stepsOf } from './evaluate';
import { defaultMaxIterations, defaultMaxOutputCharacters, maxSteps } from './limits';
import type { BlockNode, Expression, PrintNode, Template, TemplateNode, Value } from './nodes';
import { isTruthy, textOf } from './values';

export type RenderOptions = {
  /** Called once for each printed value, with the node that prints it; the template's own text is never escaped. */
  escape: (value: string, print: { id: number; isRaw: boolean }) => string;
  /** In UTF-16 units. */
  maxOutputLength?: number;
  maxIterations?: number;
};

/** `missing` lists, as written and each once, the paths without which something printed nothing. */
export type Rendered = { text: string; missing: string[] } | { failed: 'too_long'; detail: string };

/** Renders any JSON data; it never throws, and values are never read as template text. */
export function renderTemplate(template: Template, data: Data, options: RenderOptions): Rendered {
  const run: Run = {
    escape: options.escape,
    maxOutputLength: options.maxOutputLength ?? defaultMaxOutputCharacters,
    steps: maxSteps,
    iterations: options.maxIterations ?? defaultMaxIterations,
    text: '',
    missing: undefined,
    excess: undefined,
  };
  const top: Scope = { value: data, parent: undefined, key: undefined, index: 0, isLast: false };
  renderNodes(template.nodes, top, run);
  if (run.excess !== undefined) return { failed: 'too_long', detail: run.excess };
  return { text: run.text, missing: run.missing ? [...run.missing] : [] };
}

type Run = {
  readonly escape: RenderOptions['escape'];
  readonly maxOutputLength: number;
  steps: number;
  iterations: number;
  text: string;
  missing: Set<string> | undefined;
  /** Why the rendering stops. */
  excess: string | undefined;
};

function renderNodes(nodes: readonly TemplateNode[], scope: Scope, run: Run): void {
  for (const node of nodes) {
    if (node.kind === 'text') append(node.text, run);
    else if (node.kind === 'print') print(node, scope, run);
    else renderBlock(node, scope, run);

    if (run.steps < 0) run.excess ??= 'The template takes too much work for this data.';
    if (run.excess !== undefined) return;
  }
}

function append(text: string, run: Run): void {
  if (run.text.length + text.length <= run.maxOutputLength) run.text += text;
  else run.excess = `The text is longer than ${run.maxOutputLength} characters.`;
}

function print(node: PrintNode, scope: Scope, run: Run): void {
  const value = evaluate(node.value, scope, run);
  if (value === null) return;
  const text = textOf(value);
  if (text === undefined) {
    noteMissing(node.value, scope, run);
    return;
  }
  run.steps -= stepsOf(text);
  append(run.escape(text, node), run);
}

function noteMissing(expression: Expression, scope: Scope, run: Run): void {
  run.missing ??= new Set();
  for (const path of missingPaths(expression, scope, run)) run.missing.add(path);
}

function renderBlock(block: BlockNode, scope: Scope, run: Run): void {
  const subject = evaluate(block.subject, scope, run);
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
  if (subject === undefined && otherwise.length === 0) noteMissing(block.subject, scope, run);
  renderNodes(otherwise, scope, run);
}

function countsZero({ includeZero }: BlockNode, scope: Scope, run: Run): boolean {
  return includeZero !== undefined && isTruthy(evaluate(includeZero, scope, run));
}

function innerScope(parent: Scope, value: Value): Scope {
  return { value, parent, key: undefined, index: 0, isLast: false };
}

function renderWith(nodes: readonly TemplateNode[], scope: Scope, run: Run): boolean {
  if (!isTruthy(scope.value, true)) return false;
  renderNodes(nodes, scope, run);
  return true;
}

const tooManyRounds = 'The template repeats its blocks too often for this data.';

/** One round for each element or member. The scope is the same object in each round: nothing keeps it. */
function renderEach(nodes: readonly TemplateNode[], scope: Scope, run: Run): boolean {
  const walked = scope.value;
  if (typeof walked !== 'object' || walked === null) return false;
  const keys = Array.isArray(walked) ? undefined : Object.keys(walked);
  const values = Array.isArray(walked) ? walked : Object.values(walked);
  for (const [index, value] of values.entries()) {
    run.iterations -= 1;
    if (run.iterations < 0) run.excess ??= tooManyRounds;
    if (run.excess !== undefined) break;

    scope.value = value;
    scope.key = keys?.[index] ?? index;
    scope.index = index;
    scope.isLast = index === values.length - 1;
    renderNodes(nodes, scope, run);
  }
  return values.length > 0;
}
