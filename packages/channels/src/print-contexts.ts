import { type Template, TemplateError, type TemplateNode, type TextNode } from '@belfry/shared';

export type PrintNode = Extract<TemplateNode, { kind: 'print' }>;
type BlockNode = Extract<TemplateNode, { kind: 'block' }>;

/** Reads the fixed text of a template and says where in it each value is printed. */
export type Scanner<State, Context> = {
  start: State;
  read(state: State, text: string, node: TextNode): State;
  /** Throws TemplateError where no value may stand. */
  print(state: State, node: PrintNode): { context: Context; state: State };
  /** The state after a block whose ways end in both; undefined when they do not agree. */
  join(left: State, right: State): State | undefined;
  /** Throws TemplateError where the template must not end. */
  end?(state: State): void;
};

/** The context of each value, by the id of its node. All ways through a block must end in the same place. */
export function findPrintContexts<State, Context>(
  template: Template,
  scanner: Scanner<State, Context>,
): Map<PrintNode['id'], Context> {
  const contexts = new Map<PrintNode['id'], Context>();

  function walk(nodes: readonly TemplateNode[], start: State): State {
    let state = start;
    for (const node of nodes) state = step(node, state);
    return state;
  }

  function step(node: TemplateNode, state: State): State {
    if (node.kind === 'text') return scanner.read(state, node.text, node);
    if (node.kind === 'block') return walkBlock(node, state);
    const printed = scanner.print(state, node);
    contexts.set(node.id, printed.context);
    return printed.state;
  }

  function walkBlock(block: BlockNode, before: State): State {
    const ends = block.branches.map((branch) => walk(branch, before));
    // A loop's end is also its next round's beginning.
    const [first = before, ...others] = block.name === 'each' ? [before, ...ends] : ends;
    return others.reduce((joined, end) => {
      const state = scanner.join(joined, end);
      if (state === undefined) throw disagreement(block);
      return state;
    }, first);
  }

  const last = walk(template.nodes, scanner.start);
  scanner.end?.(last);
  return contexts;
}

function disagreement({ line, column }: BlockNode): TemplateError {
  return new TemplateError(
    'This block ends inside a tag, quote or link in one case and outside of it in another.',
    { line, column },
  );
}
