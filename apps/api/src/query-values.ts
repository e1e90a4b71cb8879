import { AppError } from '@belfry/shared';
import type { Request } from 'express';

export type Query = Request['query'];

/** The value of a parameter that may stand once; empty counts as not given. */
export function readQueryValue(query: Query, name: string): string | undefined {
  const value = Object.hasOwn(query, name) ? query[name] : undefined;
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw invalidValue(name, 'must stand once in the query');
}

/** A whole number within bounds, or the standard where there is none. */
export function readQueryNumber(
  query: Query,
  name: string,
  { minimum, maximum, standard }: { minimum: number; maximum: number; standard: number },
): number {
  const text = readQueryValue(query, name);
  if (text === undefined) return standard;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  throw invalidValue(name, `must be a whole number from ${minimum} to ${maximum}`);
}

/** Items of a page. */
export const pageLimits = { minimum: 1, maximum: 100, standard: 20 };

export function invalidValue(path: string, problem: string): AppError {
  return new AppError('validation_failed', `${path} ${problem}`, { problems: [{ path, problem }] });
}
