import {
  type AccountAppRow,
  type AccountApps,
  type Actor,
  isDatabaseUnavailable,
} from '@belfry/database';
import { findProblems } from '@belfry/pipeline/configure';
import { findTargetProblem, type Logger, newId } from '@belfry/runtime';
import { AppError, isUuid, limitProblems } from '@belfry/shared';
import type { TObject } from '@sinclair/typebox';
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express';
import {
  type Answer,
  type Body,
  type Contract,
  contract,
  type PathParams,
  type Query,
  type Route,
} from '../api/contract';
import type { Problem, ProblemCode } from '../api/problem';
import type { Access, PathParam, RouteSpec } from '../api/route-spec';
import { notFound, problemStatuses, Refusal } from './problem';
import { readBody } from './read-body';
import type { Session, Sessions } from './sessions';

/** A call of a route with a session. */
export type SignedInCall = { req: Request; res: Response; session: Session; actor: Actor };
/** An app of another account answers exactly like a missing one, before the handler runs. */
export type AppCall = SignedInCall & { app: AccountAppRow };

type Base<R extends Route> = Contract[R]['access'] extends 'anyone'
  ? { req: Request; res: Response }
  : 'appId' extends PathParam<R>
    ? AppCall
    : SignedInCall;

/** A checked call of one route: session, role, app, query and body match the contract. */
export type Call<R extends Route> = Base<R> & {
  path: PathParams<R>;
  query: Query<R>;
  body: Body<R>;
};

/** One handler per route of the contract. It returns the answer, or writes the response itself if there is none. */
export type Handlers = { [R in Route]: (call: Call<R>) => Promise<Answer<R>> };

export type RoutesDeps = { sessions: Pick<Sessions, 'get'>; apps: Pick<AccountApps, 'find'> };

/** Adds the routes of the contract whose body is a form, or all others. */
export function addRoutes(
  app: Express,
  handlers: Handlers,
  { isForm, ...deps }: RoutesDeps & { isForm: boolean },
): void {
  for (const [route, spec] of listRoutes()) {
    if ((spec.isForm ?? false) !== isForm) continue;
    const [method, path] = splitRoute(route);
    // The handler matches its specification: Handlers is derived from the contract.
    app[method](path, createHandler(path, spec, handlers[route] as AnyHandler, deps));
  }
}

export function listRoutes(): [Route, RouteSpec][] {
  // Safe cast: a constant object has exactly the keys of its type.
  return Object.entries(contract) as [Route, RouteSpec][];
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** `GET /api/keys` as method and path of Express. */
export function splitRoute(route: string): [Method, string] {
  const [method = '', path = ''] = route.split(' ');
  return [method.toLowerCase() as Method, path];
}

type AnyHandler = (call: object) => Promise<object | undefined>;

function createHandler(
  path: string,
  spec: RouteSpec,
  handle: AnyHandler,
  deps: RoutesDeps,
): RequestHandler {
  const isInApp = path.includes('/:appId');
  return async function handleCall(req, res) {
    const params = readPathParams(req);
    const base = await createBase(req, params);
    const query = spec.query === undefined ? {} : readQuery(spec.query, req);
    const body = spec.body === undefined ? undefined : readBody(spec.body, req.body);
    const answer = await handle({ req, res, ...base, path: params, query, body });
    if (spec.answer !== undefined) {
      const cacheControl = spec.hasSecret ? 'no-store, no-transform' : 'no-store';
      res.set('Cache-Control', cacheControl).json(answer);
    }
  };

  async function createBase(req: Request, params: Record<string, string>): Promise<object> {
    if (spec.access === 'anyone') return {};
    const session = await deps.sessions.get(req);
    const { operator, account } = session;
    refuseRole(operator.role, spec.access);
    const actor = { accountId: account.id, operatorId: operator.id };
    if (!isInApp) return { session, actor };
    const app = await deps.apps.find(account.id, readId(params['appId'] ?? '', 'app'));
    if (!app) throw notFound('app');
    return { session, actor: { ...actor, appId: app.id }, app };
  }
}

function refuseRole(role: string, access: Access): void {
  if (role === 'viewer' && access !== 'viewer') {
    throw new Refusal(
      'not_allowed',
      'Viewers cannot change anything. Ask an owner for the editor role.',
    );
  }
  if (access === 'owner' && role !== 'owner') {
    throw new Refusal('not_allowed', 'Only an owner of the account can do this.');
  }
}

/** An id from a path or query. Anything but a UUID is not found and never reaches PostgreSQL. */
export function readId(text: string, what: string): string {
  const id = text.toLowerCase();
  if (!isUuid(id)) throw notFound(what);
  return id;
}

/** Parameters that occur once and are not empty, as texts or integers of the schema. */
function readQuery(schema: TObject, req: Request): object {
  const parameters: Record<string, string | number> = {};
  for (const [name, { type }] of Object.entries(schema.properties)) {
    const value: unknown = req.query[name];
    if (typeof value !== 'string' || value.trim() === '') continue;
    const text = value.trim();
    parameters[name] = type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  }
  const [problem] = findProblems(schema, parameters, '');
  if (problem) throw new Refusal('bad_request', `${problem.path} ${problem.problem}.`);
  return parameters;
}

/** Express passes a list only for wildcards, which no route has. */
function readPathParams({ params }: Request): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
}

/** Checks that path and query decode to storable text; PostgreSQL would reject the statement otherwise. */
export const refuseUnreadableTargets: RequestHandler = function refuseUnreadableTargets(
  req,
  _res,
  next,
) {
  const problem = findTargetProblem(req.originalUrl);
  next(problem && new Refusal('bad_request', `The path and query of a call ${problem}.`));
};

/** Answers every error in one shape. Internal errors are logged and reveal nothing. */
export function createHandleProblems({ log }: { log: Logger }): ErrorRequestHandler {
  return function handleProblems(failure: unknown, req, res, _next) {
    const refusal = toRefusal(failure);
    const requestId = newId();
    const status = problemStatuses[refusal.code];
    if (status >= 500) {
      const logFields = {
        request_id: requestId,
        method: req.method,
        route: getRoutePattern(req),
        error: failure,
      };
      log[refusal.code === 'internal' ? 'error' : 'warn']('call.failed', logFields);
    }
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const { code, details, message: error, headers } = refusal;
    const body: Problem = { success: false, error, code, ...details, requestId };
    res
      .set({ 'Cache-Control': 'no-store', ...headers })
      .status(status)
      .json(body);
  };
}

/** The route template, never the path, which may contain a token. */
function getRoutePattern(req: Request): string {
  return req.route?.path ?? 'none';
}

const appErrorCodes: Partial<Record<AppError['code'], ProblemCode>> = {
  validation_failed: 'invalid',
  unavailable: 'unavailable',
  event_not_found: 'not_found',
  too_complex: 'too_complex',
};

function toRefusal(failure: unknown): Refusal {
  if (failure instanceof Refusal) return failure;
  if (failure instanceof AppError && failure.code !== 'internal') {
    const fields = limitProblems(failure.problems);
    const details = fields.length > 0 ? { fields } : {};
    return new Refusal(appErrorCodes[failure.code] ?? 'bad_request', failure.message, details);
  }
  // Checked before the database: errors of the body parser also have Node codes.
  const unreadable = toReadRefusal(failure);
  if (unreadable) return unreadable;
  if (isDatabaseUnavailable(failure)) {
    return new Refusal(
      'unavailable',
      'PostgreSQL does not answer. Accepted messages are safe. This request changed nothing.',
      { headers: { 'Retry-After': '2' } },
    );
  }
  return new Refusal('internal', 'Belfry has an internal error. See the log of the dashboard.');
}

/** Maps 4xx errors of Express and its body parser; undefined for other errors. */
function toReadRefusal(failure: unknown): Refusal | undefined {
  const { status, type, limit } = (failure ?? {}) as Record<string, unknown>;
  if (type === 'entity.too.large') {
    return new Refusal('too_large', `The body must have at most ${Number(limit) / 1024} KB.`);
  }
  const isReading = (typeof status === 'number' && status < 500) || failure instanceof URIError;
  if (!isReading) return undefined;
  return new Refusal(
    ...(bodyProblems[String(type)] ?? (['bad_request', 'The request cannot be parsed.'] as const)),
  );
}

/** Errors of the body parser by `type`. */
const bodyProblems: Record<string, [ProblemCode, string]> = {
  'parameters.too.many': ['too_large', 'The form has too many fields.'],
  'encoding.unsupported': [
    'unsupported_media_type',
    'The body must not be compressed. Send it without Content-Encoding.',
  ],
  'charset.unsupported': ['unsupported_media_type', 'The body must be UTF-8.'],
  'request.aborted': ['bad_request', 'The body ended early.'],
  'request.size.invalid': ['bad_request', 'The length of the body does not match Content-Length.'],
};
