import {
  createParseBudget,
  createRenderBudget,
  type Data,
  type FailureReason,
  parseTemplate,
  renderTemplate,
  type Template,
  TemplateError,
  type TemplateNode,
} from '@belfry/shared';

export type Escape = (
  value: string,
  print: { id: Extract<TemplateNode, { kind: 'print' }>['id']; isRaw: boolean },
) => string;

/** A value in a rendered text: as it is, as it is written there, and where. */
export type Print = { value: string; escaped: string; at: number };

/** One text of a channel's template, parsed, with the escaping of its place. */
export type Field = { name: string; template: Template; escape: Escape };

export type Failed = { failed: FailureReason; detail: string };

/** Renders the fields of one message out of one budget; the first failure stands, and what was missing is gathered. */
export type Rendering = {
  text(field: Field | undefined, maxCharacters?: number, onPrint?: (print: Print) => void): string;
  fail(failed: FailureReason, detail: string): void;
  /** What to do without when nothing failed: the paths that the data did not hold. */
  finish(missing: 'empty' | 'reject'): Failed | { missing: string[] };
};

/** Paths that a message names as missing; the others are left out. */
const maxMissingPaths = 50;

/** 256 KB, counted in characters. */
export const maxRenderedCharacters = 256 * 1024;

export function createRendering(data: Data): Rendering {
  const budget = createRenderBudget();
  const paths = new Set<string>();
  let failure: Failed | undefined;

  return {
    text(field, maxCharacters = maxRenderedCharacters, onPrint = ignorePrint) {
      if (!field || failure) return '';
      const rendered = renderTemplate(field.template, data, {
        escape(rawValue, print, at) {
          const value = cleanText(rawValue);
          const escaped = field.escape(value, print);
          onPrint({ value, escaped, at });
          return escaped;
        },
        maxOutputLength: maxCharacters,
        budget,
      });
      if ('failed' in rendered) {
        failure = { failed: rendered.failed, detail: `${field.name}: ${rendered.detail}` };
        return '';
      }
      for (const path of rendered.missing) if (paths.size < maxMissingPaths) paths.add(path);
      return rendered.text;
    },
    fail(failed, detail) {
      failure ??= { failed, detail };
    },
    finish(missing) {
      if (missing === 'reject' && paths.size > 0) {
        return { failed: 'missing_data', detail: `The data holds no ${[...paths].join(', ')}.` };
      }
      return failure ?? { missing: [...paths] };
    },
  };
}

/** A size with its limit, which an error names. */
export type Size = { name: string; size: number; limit: number; unit?: string };

export function checkSize(
  { name, size, limit, unit = 'characters' }: Size,
  rendering: Pick<Rendering, 'fail'>,
): void {
  if (size <= limit) return;
  rendering.fail('too_long', `${name}: ${size} ${unit}; the limit is ${limit}.`);
}

/**
 * Composes a template when it is saved, from the text that each of its messages has: without values, and without what
 * blocks show. Throws TemplateError when that alone is over a limit.
 */
export function checkFixedText(compose: (rendering: Rendering) => unknown): void {
  let problem: string | undefined;
  compose({
    text: getFixedText,
    fail(failed, detail) {
      if (failed === 'too_long') problem ??= detail;
    },
    finish: () => ({ missing: [] }),
  });
  if (problem !== undefined) throw new TemplateError(problem, { line: 1, column: 1 });
}

function getFixedText(field: Field | undefined): string {
  const nodes = field?.template.nodes ?? [];
  return nodes.map((node) => (node.kind === 'text' ? node.text : '')).join('');
}

function ignorePrint(): void {}

/**
 * Half a surrogate pair is no character, and writers of forms take the sign after it, be it a quote or a bracket of the
 * template, for its other half; NUL ends a text for some readers.
 */
function cleanText(value: string): string {
  return value.toWellFormed().replaceAll('\0', '');
}

/** Parses one field; an error names the field, and keeps its line and column. */
export type ParseField = (
  name: string,
  source: string,
  createEscape: (template: Template) => Escape,
) => Field;

/** Parses the fields of one channel's template, which share one budget and are written in one language. */
export function createParseField(language: string | undefined): ParseField {
  const budget = createParseBudget(language);

  return function parseField(name, source, createEscape) {
    try {
      const template = parseTemplate(source, budget);
      return { name, template, escape: createEscape(template) };
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const { line, column } = error;
      throw new TemplateError(`${name}: ${error.message}`, { line, column });
    }
  };
}

/** The paths that the fields read, each once, in order. */
export function listPaths(fields: readonly (Field | undefined)[]): string[] {
  return [...new Set(fields.flatMap((field) => field?.template.paths ?? []))];
}
