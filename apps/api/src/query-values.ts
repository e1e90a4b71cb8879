import { AppError } from '@belfry/shared';
import type { Request } from 'express';

export type Query = Request['query'];

/** The value of a query parameter. An empty value is treated as absent; a repeated parameter is refused. */
export function readQueryValue(query: Query, name: string): string | undefined {
  const value = Object.hasOwn(query, name) ? query[name] : undefined;
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw invalidValue(name, 'must appear only once in the query');
}

/** An integer query parameter within its limits, or the default. */
export function readQueryNumber(
  query: Query,
  name: string,
  { minimum, maximum, defaultValue }: { minimum: number; maximum: number; defaultValue: number },
): number {
  const text = readQueryValue(query, name);
  if (text === undefined) return defaultValue;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  throw invalidValue(name, `must be a whole number from ${minimum} to ${maximum}`);
}

/** Limits of the page size. */
export const pageLimits = { minimum: 1, maximum: 100, defaultValue: 20 };

export function invalidValue(path: string, problem: string): AppError {
  return new AppError('validation_failed', `${path} ${problem}`, { problems: [{ path, problem }] });
}
