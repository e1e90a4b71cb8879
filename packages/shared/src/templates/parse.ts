import { convertProgram } from './convert';
import type { Template } from './nodes';
import { createParseBudget, type ParseBudget } from './parse-budget';
import { scanTemplate } from './scan';
import { parseSyntax } from './syntax';

/**
 * Parses a template once; throws TemplateError for what must be refused when it is saved. The fields of one channel's
 * template share a budget.
 */
export function parseTemplate(source: string, budget: ParseBudget = createParseBudget()): Template {
  scanTemplate(source, budget);
  return freeze({ source, ...convertProgram(parseSyntax(source), budget) });
}

/** No deeper than blocks and parentheses nest. */
function freeze<Part>(part: Part): Part {
  if (typeof part !== 'object' || part === null) return part;
  for (const inner of Object.values(part)) freeze(inner);
  return Object.freeze(part);
}
