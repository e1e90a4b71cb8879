import { convertStatements } from './convert';
import type { Template } from './nodes';
import { createParseBudget, type ParseBudget } from './parse-budget';
import { parseSyntax } from './parse-syntax';

/**
 * Parses a template once; throws TemplateError for what must be refused when it is saved. The fields of one channel's
 * template share a budget.
 */
export function parseTemplate(source: string, budget: ParseBudget = createParseBudget()): Template {
  return freeze({ source, ...convertStatements(parseSyntax(source, budget), budget) });
}

/** No deeper than blocks and parentheses nest. */
function freeze<Part extends object>(part: Part): Part {
  for (const inner of Object.values(part)) {
    if (typeof inner === 'object' && inner !== null) freeze(inner);
  }
  return Object.freeze(part);
}
