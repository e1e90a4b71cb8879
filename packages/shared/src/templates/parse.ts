import { convertProgram } from './convert';
import type { Template } from './nodes';
import { scanTemplate } from './scan';
import { parseSyntax } from './syntax';

/** Parses a template once; throws TemplateError for what must be refused when it is saved. */
export function parseTemplate(source: string): Template {
  scanTemplate(source);
  return freeze({ source, ...convertProgram(parseSyntax(source)) });
}

/** No deeper than blocks and parentheses nest. */
function freeze<Part>(part: Part): Part {
  if (typeof part !== 'object' || part === null) return part;
  for (const inner of Object.values(part)) freeze(inner);
  return Object.freeze(part);
}
