// Prints, as JSON, the types that the sources declare for each call of `query`: of its row, and of its values.
// A process of its own, because Jest cannot load the compiler, which is an ES module.
import path from 'node:path';
import { SyntaxKind } from 'typescript/unstable/ast';
import { API, TypeFlags } from 'typescript/unstable/sync';

/** @type {[number, string][]} */
const primitives = [
  [TypeFlags.StringLike, 'string'],
  [TypeFlags.NumberLike, 'number'],
  [TypeFlags.BigIntLike, 'bigint'],
  [TypeFlags.BooleanLike, 'boolean'],
  [TypeFlags.Null, 'null'],
  [TypeFlags.Undefined | TypeFlags.Void, 'undefined'],
];

const [config = '', ...files] = process.argv.slice(2);
const api = new API();
try {
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (!project) throw new Error(`The compiler cannot open ${config}`);
  const calls = files.flatMap((file) => readFile(project, file));
  process.stdout.write(JSON.stringify(calls));
} finally {
  api.close();
}

function readFile({ program, checker }, file) {
  const source = program.getSourceFile(file);
  if (!source) throw new Error(`${path.relative('.', file)} is not in ${config}`);
  /** @type {any[]} */
  const calls = [];
  /** @type {any[]} */
  const callers = [];
  collect(source);
  visit(source);
  return calls;

  function visit(node) {
    if (node.kind === SyntaxKind.CallExpression && isQuery(node)) calls.push(readCall(node));
    node.forEachChild(visit);
  }

  /** The type, or those that the calls of a generic function give for it. */
  function listTypes(call, typeNode) {
    const generic = findGeneric(call, typeNode);
    if (!generic) return [checker.getTypeFromTypeNode(typeNode)];
    return callers
      .filter(({ expression, typeArguments }) => expression.text === generic.name && typeArguments)
      .map(({ typeArguments }) => checker.getTypeFromTypeNode(typeArguments[generic.at]));
  }

  function collect(node) {
    if (node.kind === SyntaxKind.CallExpression) callers.push(node);
    node.forEachChild(collect);
  }

  function readCall(call) {
    const { line } = source.getLineAndCharacterOfPosition(call.expression.name.getStart(source));
    const rowTypes = call.typeArguments?.length ? listTypes(call, call.typeArguments[0]) : [];
    return {
      file,
      line: line + 1,
      usesRows: usesRows(call),
      rows: rowTypes.map((type) => readColumns(checker, type)),
      values: readValues(checker, call.arguments),
    };
  }
}

/** The function around the call that declares this type parameter; undefined for another type. */
function findGeneric(call, { typeName }) {
  for (let node = call.parent; node; node = node.parent) {
    const at = node.typeParameters?.findIndex(({ name }) => name.text === typeName?.text) ?? -1;
    if (at !== -1) return { name: node.name?.text, at };
  }
  return undefined;
}

function isQuery({ expression }) {
  return (
    expression.kind === SyntaxKind.PropertyAccessExpression && expression.name.text === 'query'
  );
}

/** False if the call's result is thrown away, or only its `rowCount` is taken. */
function usesRows(call) {
  const holder = call.parent.kind === SyntaxKind.AwaitExpression ? call.parent.parent : call.parent;
  if (holder.kind === SyntaxKind.ExpressionStatement) return false;
  const names = holder.name?.elements?.map(({ propertyName, name }) => (propertyName ?? name).text);
  return names ? names.includes('rows') : holder.kind !== SyntaxKind.ParenthesizedExpression;
}

/** A column that some members of a union lack may be null: the query returns it for every row. */
function readColumns(checker, type) {
  const members = type.isUnionType() ? type.getTypes() : [type];
  const lists = members.map((member) => checker.getPropertiesOfType(member));
  const names = new Set(lists.flat().map(({ name }) => name));
  return [...names].map((name) => ({
    name,
    kinds: [...new Set(lists.flatMap((list) => readColumn(checker, list, name)))],
  }));
}

function readColumn(checker, properties, name) {
  const property = properties.find((each) => each.name === name);
  if (!property) return ['null', 'undefined'];
  return readKinds(checker, checker.getTypeOfSymbol(property));
}

/** The kinds of the values in an array literal; undefined for a value, or for all, whose type says nothing. */
function readValues(checker, [statement, list]) {
  const values = list ?? findProperty(statement, 'values');
  if (values?.kind !== SyntaxKind.ArrayLiteralExpression) return undefined;
  const elements = [...values.elements];
  const spread = elements.findIndex(({ kind }) => kind === SyntaxKind.SpreadElement);
  return elements
    .slice(0, spread === -1 ? elements.length : spread)
    .map((element) => readKinds(checker, checker.getTypeAtLocation(element)));
}

function findProperty(node, name) {
  return node?.properties?.find((property) => property.name?.text === name)?.initializer;
}

/** `string`, `null`, `Date`, `string[]`, `object`, …; one for each part of a union. */
function readKinds(checker, type) {
  if (type.isUnionType()) {
    return [...new Set(type.getTypes().flatMap((part) => readKinds(checker, part)))];
  }
  const primitive = primitives.find(([flags]) => type.flags & flags);
  if (primitive) return [primitive[1]];
  if (type.flags & (TypeFlags.Any | TypeFlags.Unknown)) return ['unknown'];
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type);
    return [`(${readKinds(checker, element).toSorted().join(' | ')})[]`];
  }
  const name = type.getSymbol()?.name;
  return [['Date', 'Buffer', 'Uint8Array'].includes(name) ? name : 'object'];
}
