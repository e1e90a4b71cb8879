import type { Answer, Body, Contract, PathParams, Query, Route } from '../api/contract';
import type { Problem, ProblemCode } from '../api/problem';
import type { PathParam } from '../api/route-spec';
import { formatWait } from '../api/wait-text';
import { formatMoment } from './dates';

/** An error answer of the server, or a failed connection. */
export type PageProblem = Omit<Partial<Problem>, 'code'> & {
  error: string;
  code: ProblemCode | 'unreachable';
};
export type Result<T> = { value: T } | { problem: PageProblem };
export type Api = ReturnType<typeof createApi>;

/** Routes that answer JSON. */
export type JsonRoute = {
  [R in Route]: Contract[R] extends { answer: unknown } ? R : never;
}[Route];
/** Routes that a page reads, polls and caches. Two of them are POSTs, because their input needs a body. */
export type ReadRoute =
  | Extract<JsonRoute, `GET ${string}`>
  | `POST /api/apps/:appId/events/:eventId/${'call-example' | 'variables'}`;

type Part<Name extends string, Value> =
  Record<never, never> extends Value ? { [K in Name]?: Value } : { [K in Name]: Value };
/** Path parameters by name, `query` and `body` of a route. */
export type Input<R extends Route> = ([PathParam<R>] extends [never] ? unknown : PathParams<R>) &
  (Contract[R] extends { query: unknown } ? Part<'query', Query<R>> : unknown) &
  (Contract[R] extends { body: unknown } ? Part<'body', Body<R>> : unknown);
/** The input may be left out if every part of it is optional. */
export type InputArgs<R extends Route> =
  Record<never, never> extends Input<R> ? [input?: Input<R>] : [input: Input<R>];

/** Like InputArgs; `signal` aborts the call. */
export type CallArgs<R extends Route> =
  Record<never, never> extends Input<R>
    ? [input?: Input<R> | undefined, signal?: AbortSignal | undefined]
    : [input: Input<R>, signal?: AbortSignal | undefined];

type ApiDeps = { root: URL; fetch: typeof fetch; onSignedOut: () => void };

const answerTimeoutMs = 30_000;
const unreachable: PageProblem = {
  code: 'unreachable',
  error: 'The dashboard server does not answer. Accepted messages are safe.',
};

const cutOff: PageProblem = {
  code: 'unreachable',
  error: 'The file was cut off, so it is not saved. Try again, with more filters if it is large.',
};

/** The only caller of the server. Methods, paths and types come from the contract in src/api. */
export function createApi({ root, fetch, onSignedOut }: ApiDeps) {
  function toProblem(problem: Problem, response: Response): PageProblem {
    if (problem.code === 'signed_out') onSignedOut();
    return addRetryTime({ ...problem, error: toSentence(problem.error) }, response);
  }

  return {
    /** `call('POST /api/keys/:id/show', { id, body: { password } })` */
    async call<R extends JsonRoute>(route: R, ...args: CallArgs<R>): Promise<Result<Answer<R>>> {
      const [input, signal] = args as [unknown?, AbortSignal?];
      try {
        const response = await fetch(getUrl(root, route, input), createInit(route, input, signal));
        const read: unknown = await response.json();
        // The types of the handlers come from the same contract.
        if (response.ok) return { value: read as Answer<R> };
        return { problem: toProblem(read as Problem, response) };
      } catch {
        return { problem: unreachable };
      }
    },

    /** Reads a file. The server limits the time. */
    async download<R extends Route>(route: R, ...[input]: InputArgs<R>): Promise<Result<Blob>> {
      try {
        const response = await fetch(getUrl(root, route, input), { credentials: 'same-origin' });
        if (!response.ok) return { problem: toProblem(await response.json(), response) };
        return await response.blob().then(
          (value) => ({ value }),
          () => ({ problem: cutOff }),
        );
      } catch {
        return { problem: unreachable };
      }
    },

    getUrl: <R extends Route>(route: R, ...[input]: InputArgs<R>) =>
      getUrl(root, route, input).href,
  };
}

function createInit(route: Route, input: unknown, signal: AbortSignal | undefined): RequestInit {
  const body = (input as { body?: unknown } | undefined)?.body;
  const timeout = AbortSignal.timeout(answerTimeoutMs);
  return {
    method: route.slice(0, route.indexOf(' ')),
    credentials: 'same-origin',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    headers: {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

/** Paths are relative to the base URL of the page, so that it works under any sub-path. */
function getUrl(root: URL, route: Route, input: unknown): URL {
  const { query = {}, ...params } = (input ?? {}) as {
    query?: Record<string, unknown>;
    [param: string]: unknown;
  };
  const path = route
    .slice(route.indexOf('/') + 1)
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const url = new URL(path, root);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

/** The gateway's errors begin with a field or a small letter, and have no full stop. */
function toSentence(text: string): string {
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}

/** Replaces the wait in seconds by the time of the next attempt, rounded up: it stays true while it is shown. */
function addRetryTime(problem: Problem, { headers }: Response): Problem {
  const seconds = Number(headers.get('Retry-After'));
  // A proxy may send a date.
  if (!(seconds > 0)) return problem;
  const at = formatMoment(Math.ceil(Date.now() / 1_000 + seconds) * 1_000);
  return { ...problem, error: problem.error.replace(formatWait(seconds), `Try again at ${at}.`) };
}
