import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Express } from 'express';
import type { RouteSpec } from '../api/route-spec';
import { listRoutes, type Method, splitRoute } from './route';

export type ListedRoute = { method: Method; path: string };

/** Read from Express itself, so that no route is missed. */
export function listAppRoutes({ router }: Express): ListedRoute[] {
  return router.stack.flatMap(({ route }) =>
    [...new Set(route?.stack.map(({ method }) => method))].map((method) => ({
      method: method as Method,
      path: String(route?.path),
    })),
  );
}

/** Routes of the contract that may change something: everything but GET. */
export function listChangingRoutes(): [string, RouteSpec][] {
  return listRoutes().filter(([route]) => !route.startsWith('GET '));
}

export function formatRoute({ method, path }: ListedRoute): string {
  return `${method.toUpperCase()} ${path}`;
}

/** The path below `api/` with its parameters filled in; missing ones become `x`, which matches no row. */
export function fillPath(path: string, values: Record<string, string>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? 'x').replace(/^\/api\//, '');
}

/** Differences between a 200 answer and the schema of its route: missing, wrong and undeclared members. */
export function findAnswerProblems(method: Method, target: string, answer: unknown): string[] {
  const [route, spec] = findRoute(method, target);
  if (spec.answer === undefined) return [];
  return [...Value.Errors(close(spec.answer), answer)].map(
    ({ path, message }) => `${route}${path}: ${message}`,
  );
}

function findRoute(method: Method, target: string): [string, RouteSpec] {
  const path = `/api/${target.split('?')[0]}`;
  const route = listRoutes().find(([name]) => {
    const [routeMethod, pattern] = splitRoute(name);
    return (
      routeMethod === method && new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path)
    );
  });
  if (!route) throw new Error(`The contract has no ${method} ${path}`);
  return route;
}

const closedSchemas = new WeakMap<TSchema, TSchema>();

function close(schema: TSchema): TSchema {
  const closed = closedSchemas.get(schema) ?? closeObjects(schema);
  closedSchemas.set(schema, closed);
  return closed;
}

/** Objects of the schema refuse undeclared members. TypeBox stores the kind of a schema under symbols. */
function closeObjects<Part>(part: Part): Part {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(closeObjects) as Part;
  const copy: Record<PropertyKey, unknown> = {};
  for (const key of Reflect.ownKeys(part)) copy[key] = closeObjects(Reflect.get(part, key));
  if (copy['type'] === 'object' && copy['properties'] !== undefined) {
    copy['additionalProperties'] ??= false;
  }
  return copy as Part;
}
