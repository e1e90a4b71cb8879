import { TemplateError } from '@belfry/shared';

/** An error about a whole field, without a position in it. */
export function createTemplateError(field: string, problem: string): TemplateError {
  return new TemplateError(`${field}: ${problem}.`, { line: 1, column: 1 });
}
