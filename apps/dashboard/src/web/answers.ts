import { QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Answer } from '../api/contract';
import type { Api, CallArgs, Input, InputArgs, PageProblem, ReadRoute } from './api';
import { useServices } from './context';

/** The last answer to a query, and the last problem since then. */
export type Loaded<T> = {
  value: T | undefined;
  readAt: number | undefined;
  problem: PageProblem | undefined;
};

export type QueryResult<T> = Loaded<T> & { reload: () => Promise<void>; set: (value: T) => void };

const retryAfterMs = 5_000;
const keptForMs = 30 * 60_000;

/** Errors of queries are problems: the server explained them, or did not answer. */
export class QueryError extends Error {
  readonly problem: PageProblem;
  constructor(problem: PageProblem) {
    super(problem.error);
    this.problem = problem;
  }
}

/** Pages read again when they open and as often as they ask; nothing is read again in between. */
export function createQueryClient() {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: true,
        gcTime: keptForMs,
        networkMode: 'always',
      },
    },
  });
}

/** Key of a query in the cache. */
export function queryKey<R extends ReadRoute>(route: R, input: Input<R> | undefined) {
  return [route, input ?? {}] as const;
}

function query<R extends ReadRoute>(api: Api, route: R, input: Input<R> | undefined) {
  return {
    queryKey: queryKey(route, input),
    /** The signal aborts the call when no component shows its answer any more. */
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Answer<R>> => {
      const result = await api.call(route, ...([input, signal] as unknown as CallArgs<R>));
      if ('problem' in result) throw new QueryError(result.problem);
      return result.value;
    },
  };
}

type AnswerOptions = { everyMs?: number | undefined; isEnabled?: boolean };
type AnswerArgs<R extends ReadRoute> =
  Record<never, never> extends Input<R>
    ? [input?: Input<R> | undefined, options?: AnswerOptions]
    : [input: Input<R>, options?: AnswerOptions];

/**
 * Reads a route when the page opens, then every `everyMs`, and every 5 s while the server or PostgreSQL is away, all while the
 * tab is visible. A tab that is shown again reads at once. A reopened page shows its last answer at once, and keeps it while
 * the server is unavailable.
 */
export function useAnswer<R extends ReadRoute>(
  route: R,
  ...[input, { everyMs, isEnabled = true } = {}]: AnswerArgs<R>
): QueryResult<Answer<R>> {
  const { api } = useServices();
  const client = useQueryClient();
  const { data, error, dataUpdatedAt, refetch } = useQuery<Answer<R>, Error>({
    ...query(api, route, input),
    enabled: isEnabled,
    refetchOnWindowFocus: everyMs !== undefined,
    refetchInterval: ({ state }) =>
      isAway(toProblem(state.error)) ? retryAfterMs : (everyMs ?? false),
  });
  const reload = useCallback(async () => void (await refetch()), [refetch]);
  const key = JSON.stringify(queryKey(route, input));
  // `key` identifies route and input.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  const set = useCallback(
    (value: Answer<R>) => void client.setQueryData(queryKey(route, input), value as never),
    [client, key],
  );
  return {
    value: data,
    readAt: dataUpdatedAt === 0 ? undefined : dataUpdatedAt,
    problem: toProblem(error),
    reload,
    set,
  };
}

/** Whether the server or PostgreSQL is away; every other problem stays until something is changed. */
export function isAway(problem: PageProblem | undefined): boolean {
  return problem?.code === 'unreachable' || problem?.code === 'unavailable';
}

export function toProblem(error: Error | null): PageProblem | undefined {
  if (error === null) return undefined;
  if (error instanceof QueryError) return error.problem;
  throw error;
}

/** Reads a route again for every open page that shows it. */
export function useReload() {
  const { api } = useServices();
  const client = useQueryClient();
  return useCallback(
    async <R extends ReadRoute>(route: R, ...[input]: InputArgs<R>): Promise<void> => {
      await client.cancelQueries({ queryKey: queryKey(route, input) });
      await client.fetchQuery(query(api, route, input)).catch(() => undefined);
    },
    [api, client],
  );
}
