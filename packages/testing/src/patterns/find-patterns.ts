import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isRegExp } from 'node:util/types';
import { runInNewContext } from 'node:vm';
import { transformSync } from '@swc/core';
import { listSources, parseFile, type SyntaxNode, walk } from '../syntax';

/** A regular expression of the sources. The `pattern` of a schema is a text, which validators compile with the flag `u`. */
export type SourcePattern = {
  file: string;
  line: number;
  isSchema: boolean;
  /** Undefined if it cannot be computed from its file alone. */
  pattern: { source: string; flags: string } | undefined;
  /** Why it is not checked, from a comment `pattern-ignore: ...` directly above it. */
  ignored: string | undefined;
};

/** Every regular expression of the production sources in apps and packages. */
export function findPatterns(root: string): SourcePattern[] {
  return listSources(root).flatMap((file) =>
    findPatternsInFile(file, readFileSync(path.join(root, file), 'utf8')),
  );
}

/** The regular expressions of one file: literals, `new RegExp(...)`, and the `pattern` of schemas. */
export function findPatternsInFile(file: string, text: string): SourcePattern[] {
  const bytes = Buffer.from(text);
  const lines = text.split('\n');
  const body = parseFile(file, text);
  const getText = ({ span }: SyntaxNode) => bytes.toString('utf8', span.start - 1, span.end - 1);
  const patterns: SourcePattern[] = [];

  function add(node: SyntaxNode, isSchema: boolean): void {
    const value = isLiteral(node)
      ? new RegExp(node.pattern, node.flags)
      : evaluate(withDeclarations(node, listDeclarations(body, getText), getText));
    // The name of a literal, which is already found at its declaration.
    if (isSchema && isRegExp(value)) return;
    const line = bytes.toString('utf8', 0, node.span.start - 1).split('\n').length;
    const pattern = toPattern(value);
    patterns.push({ file, line, isSchema, pattern, ignored: findReason(lines, line) });
  }

  for (const node of walk(body)) {
    if (isLiteral(node) || isRegExpCall(node)) add(node, false);
    const value = schemaPattern(node);
    if (value) add(value, true);
  }
  return patterns;
}

function isLiteral(node: SyntaxNode): node is SyntaxNode & { pattern: string; flags: string } {
  return node.type === 'RegExpLiteral';
}

function isRegExpCall({ type, callee }: SyntaxNode): boolean {
  return /^(New|Call)Expression$/.test(type) && (callee as Named).value === 'RegExp';
}

function schemaPattern({ type, key, value }: SyntaxNode): SyntaxNode | undefined {
  if (type !== 'KeyValueProperty' || (key as Named).value !== 'pattern') return undefined;
  const node = value as SyntaxNode;
  return isLiteral(node) || isRegExpCall(node) ? undefined : node;
}

type Named = { value?: unknown };
type Declaration = { name: string; node: SyntaxNode; text: string };

/** Constants and functions, in the order of the file. */
function listDeclarations(body: unknown, getText: (node: SyntaxNode) => string): Declaration[] {
  return [...walk(body)].flatMap((node) => {
    const { type, id, identifier } = node;
    if (type === 'VariableDeclarator') {
      return [{ name: String((id as Named).value), node, text: `var ${getText(node)};` }];
    }
    if (type !== 'FunctionDeclaration') return [];
    return [{ name: String((identifier as Named).value), node, text: getText(node) }];
  });
}

/** A script whose result is the value of an expression, preceded by all declarations that it needs. */
function withDeclarations(
  node: SyntaxNode,
  declarations: readonly Declaration[],
  getText: (node: SyntaxNode) => string,
): string {
  const needed = new Set<Declaration>();
  const pending = [node];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const names = new Set([...walk(next)].map(({ value }) => value));
    for (const declaration of declarations) {
      if (needed.has(declaration) || !names.has(declaration.name)) continue;
      needed.add(declaration);
      pending.push(declaration.node);
    }
  }
  const before = declarations.filter((declaration) => needed.has(declaration));
  return [...before.map(({ text }) => text), `(${getText(node)});`].join('\n');
}

const evaluationTimeoutMs = 1_000;

/** Undefined if it needs an import, a parameter, or anything else that is known only at run time. */
function evaluate(script: string): unknown {
  try {
    const { code } = transformSync(script, {
      isModule: false,
      jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    });
    return runInNewContext(code, {}, { timeout: evaluationTimeoutMs });
  } catch {
    return undefined;
  }
}

function toPattern(value: unknown): SourcePattern['pattern'] {
  if (typeof value === 'string') return { source: value, flags: 'u' };
  return isRegExp(value) ? { source: value.source, flags: value.flags } : undefined;
}

/** The reason in the comment directly above a line, which may have several lines. */
function findReason(lines: readonly string[], line: number): string | undefined {
  const first = lines.slice(0, line - 1).findLastIndex((text) => !/^\s*\/\//.test(text)) + 1;
  const comment = lines
    .slice(first, line - 1)
    .map((text) => text.replace(/^\s*\/\/ ?/, ''))
    .join(' ');
  return /pattern-ignore: (.+)/.exec(comment)?.[1];
}
