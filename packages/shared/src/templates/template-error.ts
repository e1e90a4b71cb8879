export type Place = { line: number; column: number };

/** A template that cannot be saved. The message says what to do; line and column start at 1. */
export class TemplateError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(message: string, { line, column }: Place) {
    super(message);
    this.name = 'TemplateError';
    this.line = line;
    this.column = column;
  }
}

export function createErrorAt({ line, column }: Place, message: string): TemplateError {
  return new TemplateError(message, { line, column });
}

/** Line and column of a character; columns count UTF-16 units, as editors do. */
export function getPlace(source: string, offset: number): Place {
  const lines = source.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** Truncates a part of a template for an error message. */
export function quote(text: string): string {
  return text.length <= maxQuoteCharacters ? text : `${text.slice(0, maxQuoteCharacters)}…`;
}

const maxQuoteCharacters = 60;
