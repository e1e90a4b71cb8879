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

/** A printed value: raw, escaped, and its offset in the rendered text. */
export type Print = { value: string; escaped: string; at: number };

/** One parsed text of a channel's template, with the escape function of its context. */
export type Field = { name: string; template: Template; escape: Escape };

export type Failed = { failed: FailureReason; detail: string };

/**
 * Renders the fields of one message within one budget. Keeps the first failure, and collects
 * missing paths.
 */
export type Rendering = {
  text(field: Field | undefined, maxCharacters?: number, onPrint?: (print: Print) => void): string;
  fail(failed: FailureReason, detail: string): void;
  /** The failure, or else the paths that the data did not have. */
  finish(missing: 'empty' | 'reject'): Failed | { missing: string[] };
};

/** The number of missing paths that a failure names; the rest is left out. */
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
        return { failed: 'missing_data', detail: `Missing data: ${[...paths].join(', ')}.` };
      }
      return failure ?? { missing: [...paths] };
    },
  };
}

/** A size with its limit, for the error text. */
export type Size = { name: string; size: number; limit: number; unit?: string };

export function checkSize(
  { name, size, limit, unit = 'characters' }: Size,
  rendering: Pick<Rendering, 'fail'>,
): void {
  if (size <= limit) return;
  rendering.fail('too_long', `${name}: ${size} ${unit}; the limit is ${limit}.`);
}

/**
 * Composes a template on save, from the text that every message has: without values and without the
 * content of blocks. Throws TemplateError when that text alone is over a limit.
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
 * An unpaired surrogate is not a character: form encoders may combine it with the next character,
 * such as a quote or bracket of the template. Some readers end a text at NUL.
 */
function cleanText(value: string): string {
  return value.toWellFormed().replaceAll('\0', '');
}

/** Parses one field. Errors name the field, and keep line and column. */
export type ParseField = (
  name: string,
  source: string,
  createEscape: (template: Template) => Escape,
) => Field;

/** Parses the fields of one template, which share one budget and one language. */
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
