import type { Parameter } from './template';
import { createTemplateError } from './template-error';

/** A part of the approved text: fixed text, or a variable by name or number. */
export type BodyPart = { text: string } | { variable: string };

export function parseBody(body: string): BodyPart[] {
  const variable = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;
  const parts: BodyPart[] = [];
  let end = 0;
  for (const { 0: placeholder, 1: name = '', index } of body.matchAll(variable)) {
    parts.push({ text: body.slice(end, index) }, { variable: name });
    end = index + placeholder.length;
  }
  return [...parts, { text: body.slice(end) }];
}

/**
 * The parameters must match the variables of the approved text; otherwise the provider refuses
 * every message.
 */
export function checkBody(
  body: BodyPart[],
  parameters: readonly { name?: string }[],
  { mayHaveMore }: { mayHaveMore: boolean },
): void {
  const bodyNames = new Set(body.flatMap((part) => ('variable' in part ? [part.variable] : [])));
  const parameterNames = new Set(parameters.map(getParameterKey));
  const missingNames = [...bodyNames].filter((name) => !parameterNames.has(name));
  const unknownNames = [...parameterNames].filter((name) => !bodyNames.has(name));
  if (missingNames.length > 0) {
    throw createTemplateError(
      'template.parameters',
      `must include ${formatNames(missingNames)}, as the approved text does`,
    );
  }
  if (unknownNames.length > 0 && !mayHaveMore) {
    throw createTemplateError(
      'template.parameters',
      `must not include ${formatNames(unknownNames)}, which the approved text lacks`,
    );
  }
}

/** The text that the person reads; values are not searched for variables. */
export function readBody(body: BodyPart[], parameters: Parameter[]): string {
  const texts = new Map(parameters.map((each, index) => [getParameterKey(each, index), each.text]));
  return body
    .map((part) => ('variable' in part ? (texts.get(part.variable) ?? '') : part.text))
    .join('');
}

/** Unnamed parameters are counted from 1. */
function getParameterKey({ name }: { name?: string }, index: number): string {
  return name || String(index + 1);
}

const maxListed = 5;

function formatNames(names: string[]): string {
  const placeholders = names.slice(0, maxListed).map((name) => `{{${name}}}`);
  return names.length > maxListed ? `${placeholders.join(', ')}, …` : placeholders.join(', ');
}
