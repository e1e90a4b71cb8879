import { type Template, TemplateError, type TemplateNode, type TextNode } from '@belfry/shared';

export type PrintNode = Extract<TemplateNode, { kind: 'print' }>;
type BlockNode = Extract<TemplateNode, { kind: 'block' }>;

/** Reads the fixed text of a template and returns the context of each printed value. */
export type Scanner<State, Context> = {
  start: State;
  read(state: State, text: string, node: TextNode): State;
  /** Throws TemplateError when no value may be printed here. */
  print(state: State, node: PrintNode): { context: Context; state: State };
  /** The state after a block whose branches end in both states; undefined when they conflict. */
  join(left: State, right: State): State | undefined;
  /** Throws TemplateError when the template must not end here. */
  end?(state: State): void;
};

/** The context of each value, by node ID. All branches of a block must end in the same context. */
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
    // A loop's end is also the start of its next iteration.
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
    'One branch of this block ends inside a tag, quote or link, and another does not.',
    { line, column },
  );
}
