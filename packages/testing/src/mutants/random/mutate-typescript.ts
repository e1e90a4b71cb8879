import { createPlaces, type SyntaxNode } from '../../syntax';
import { type Kind, type Mutation, tenantName } from './mutation';

/** The mutations of a node; `at` returns the text of the node or of a part. */
type Change = { kind: Kind; node: SyntaxNode; becomes: string };
type Context = { at(node: SyntaxNode): string; ancestors: readonly SyntaxNode[] };
type Mutator = (node: SyntaxNode, context: Context) => Change[];

/** Every mutation of the code of a file. Types and SQL stay unchanged. */
export function mutateTypeScript(text: string, body: readonly SyntaxNode[]): Mutation[] {
  const place = createPlaces(text);
  const at = ({ span }: SyntaxNode) => text.slice(place(span.start), place(span.end));
  const mutations: Mutation[] = [];
  function visit(node: SyntaxNode, ancestors: readonly SyntaxNode[]): void {
    for (const change of mutators[node.type]?.(node, { at, ancestors }) ?? []) {
      const { span } = change.node;
      const { kind, becomes } = change;
      mutations.push({ kind, start: place(span.start), end: place(span.end), becomes });
    }
    for (const child of listChildren(node)) visit(child, [node, ...ancestors]);
  }
  for (const node of body) visit(node, []);
  return mutations;
}

/** Casts contain an expression; all other nodes of this kind are types. */
const casts = /^Ts(As|NonNull|Satisfies)Expression$|^TsConstAssertion$/;

function listChildren(node: SyntaxNode): SyntaxNode[] {
  if (node.type === 'ImportDeclaration') return [];
  if (casts.test(node.type)) return [node['expression'] as SyntaxNode];
  return Object.values(node).flatMap(listNodes).filter(isCode);
}

/** The nearest nodes in a member; swc wraps some of them in objects without a type. */
function listNodes(value: unknown): SyntaxNode[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('type' in value) return [value as SyntaxNode];
  return Object.values(value).flatMap(listNodes);
}

function isCode({ type }: SyntaxNode): boolean {
  return !type.startsWith('Ts') || casts.test(type);
}

const mutators: Record<string, Mutator> = {
  BinaryExpression: (node, context) => [
    ...dropSide(node, context),
    ...swapOperator(node, context),
    ...moveBound(node, context),
  ],
  IfStatement: ({ test, alternate }) =>
    alternate ? [] : [change('dropped condition', test as SyntaxNode, 'false')],
  ConditionalExpression: (node, { at }) =>
    ['consequent', 'alternate'].map((side) =>
      change('dropped condition', node, at(node[side] as SyntaxNode)),
    ),
  UnaryExpression: (node, { at }) =>
    node['operator'] === '!'
      ? [change('swapped operator', node, at(node['argument'] as SyntaxNode))]
      : [],
  AssignmentExpression: (node, { at }) =>
    node['operator'] === '+='
      ? [change('swapped operator', node, at(node).replace('+=', '-='))]
      : [],
  MemberExpression: swapMember,
  NumericLiteral: changeNumber,
  BooleanLiteral: (node) => [change('changed constant or unit', node, String(!node['value']))],
  AwaitExpression: dropAwait,
  CallExpression: (node, context) => [
    ...swapArguments(node, context),
    ...countCharacters(node, context),
    ...swallowRejection(node, context),
  ],
  NewExpression: swapArguments,
  CatchClause: ({ body }) => {
    const block = body as SyntaxNode & { stmts: unknown[] };
    return block.stmts.length === 0 ? [] : [change('swallowed error', block, '{}')];
  },
  ThrowStatement: (node) => [change('swallowed error', node, ';')],
  KeyValueProperty: dropTenant,
  Identifier: dropTenant,
};

function change(kind: Kind, node: SyntaxNode, becomes: string): Change {
  return { kind, node, becomes };
}

function dropSide(node: SyntaxNode, { at }: Context): Change[] {
  if (node['operator'] !== '&&' && node['operator'] !== '||') return [];
  return ['left', 'right'].map((side) =>
    change('dropped condition', node, at(node[side] as SyntaxNode)),
  );
}

const otherOperator: Record<string, string> = {
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
};
const otherBound: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

function swapOperator(node: SyntaxNode, { at }: Context): Change[] {
  const other = otherOperator[String(node['operator'])];
  if (!other || isText(node['left']) || isText(node['right'])) return [];
  return [change('swapped operator', node, withOperator(node, other, at))];
}

function isText(node: unknown): boolean {
  return /^(StringLiteral|TemplateLiteral)$/.test((node as SyntaxNode).type);
}

function withOperator(node: SyntaxNode, operator: string, at: Context['at']): string {
  return `${at(node['left'] as SyntaxNode)} ${operator} ${at(node['right'] as SyntaxNode)}`;
}

function moveBound(node: SyntaxNode, { at }: Context): Change[] {
  const operator = String(node['operator']);
  const bound = otherBound[operator];
  if (bound) return [change('off by one', node, withOperator(node, bound, at))];
  const isOne = (node['right'] as SyntaxNode)['value'] === 1;
  if (!isOne || !/^[+-]$/.test(operator)) return [];
  return [change('off by one', node, at(node['left'] as SyntaxNode))];
}

const otherMember: Record<string, string> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  ceil: 'floor',
  floor: 'ceil',
};

function swapMember({ property }: SyntaxNode): Change[] {
  const node = property as SyntaxNode;
  const other = Object.hasOwn(otherMember, String(node['value']))
    ? otherMember[String(node['value'])]
    : undefined;
  return other && node.type === 'Identifier' ? [change('swapped operator', node, other)] : [];
}

const factors = new Set([24, 60, 1_000, 1_024, 60_000]);

/** A factor of units becomes 1, a time or size changes its unit, and a small bound changes by one. */
function changeNumber(node: SyntaxNode, { ancestors: [parent] }: Context): Change[] {
  const value = Number(node['value']);
  const other = factors.has(value) && isFactor(parent) ? 1 : changedConstant(value);
  return [
    ...(other === value ? [] : [change('changed constant or unit', node, String(other))]),
    change('off by one', node, String(value + 1)),
  ];
}

function isFactor(parent: SyntaxNode | undefined): boolean {
  return parent?.type === 'BinaryExpression' && /^[*/]$/.test(String(parent['operator']));
}

function changedConstant(value: number): number {
  return value >= 1_000 && value % 1_000 === 0 ? value / 1_000 : value * 10;
}

/** For a `return` outside of `try`, the caller awaits as well. */
function dropAwait(node: SyntaxNode, { at, ancestors }: Context): Change[] {
  const isReturned = ancestors[0]?.type === 'ReturnStatement';
  if (isReturned && !ancestors.some(({ type }) => type === 'TryStatement')) return [];
  return [change('dropped await', node, at(node['argument'] as SyntaxNode))];
}

type Argument = { spread: unknown; expression: SyntaxNode };
const swappable =
  /^(Identifier|(Member|Call|Await)Expression|(String|Numeric|Boolean|Template)Literal)$/;

function swapArguments(node: SyntaxNode, { at }: Context): Change[] {
  const args = (node['arguments'] ?? []) as Argument[];
  const callee = node['callee'] as SyntaxNode;
  if (/^(min|max)$/.test(String((callee['property'] as SyntaxNode | undefined)?.['value'])))
    return [];
  return args.slice(1).flatMap((second, index) => {
    const first = args[index];
    if (!first || !isSwappable(first) || !isSwappable(second)) return [];
    const [from, to] = [first.expression, second.expression];
    if (at(from) === at(to)) return [];
    const both = { type: 'Arguments', span: { start: from.span.start, end: to.span.end } };
    return [change('swapped arguments', both, `${at(to)}, ${at(from)}`)];
  });
}

function isSwappable({ spread, expression }: Argument): boolean {
  return !spread && swappable.test(expression.type);
}

function countCharacters(node: SyntaxNode, { at }: Context): Change[] {
  const [first] = (node['arguments'] ?? []) as Argument[];
  if (!first || at(node['callee'] as SyntaxNode) !== 'Buffer.byteLength') return [];
  return [change('changed constant or unit', node, `${at(first.expression)}.length`)];
}

function swallowRejection(node: SyntaxNode, { at }: Context): Change[] {
  const callee = node['callee'] as SyntaxNode;
  const [handler] = (node['arguments'] ?? []) as Argument[];
  if (!handler || (callee['property'] as SyntaxNode | undefined)?.['value'] !== 'catch') return [];
  const becomes = '() => undefined';
  if (/^\(\) => (undefined|\{\})$/.test(at(handler.expression))) return [];
  return [change('swallowed error', handler.expression, becomes)];
}

/** In a Prisma query: the member of `where` that names the app or the account. */
function dropTenant(node: SyntaxNode, { ancestors: [object, owner] }: Context): Change[] {
  const key = (node['key'] ?? node) as SyntaxNode;
  const isWhere =
    object?.type === 'ObjectExpression' &&
    (owner?.['key'] as SyntaxNode | undefined)?.['value'] === 'where';
  if (!isWhere || !tenantName.test(String(key['value']))) return [];
  // swc gives no span to a member with a value.
  const end = ((node['value'] as SyntaxNode | undefined)?.span ?? key.span).end;
  const member = { type: node.type, span: { start: key.span.start, end } };
  return [change('dropped tenant condition', member, '...{}')];
}
