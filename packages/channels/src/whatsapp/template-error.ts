import { TemplateError } from '@belfry/shared';

/** What cannot be saved, where a whole field is at fault and no place in it. */
export function createTemplateError(field: string, problem: string): TemplateError {
  return new TemplateError(`${field}: ${problem}.`, { line: 1, column: 1 });
}
