import { convertStatements } from './convert';
import type { Template } from './nodes';
import { createParseBudget, type ParseBudget } from './parse-budget';
import { parseSyntax } from './parse-syntax';

/**
 * Parses a template. Throws a TemplateError if it cannot be saved. All fields of a channel's template share one
 * budget.
 */
export function parseTemplate(source: string, budget: ParseBudget = createParseBudget()): Template {
  return freeze({ source, ...convertStatements(parseSyntax(source, budget), budget) });
}

/** Recursion is safe: blocks and parentheses have a limited depth. */
function freeze<Part extends object>(part: Part): Part {
  for (const inner of Object.values(part)) {
    if (typeof inner === 'object' && inner !== null) freeze(inner);
  }
  return Object.freeze(part);
}
