import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ItemFilters } from '../../api/request-items';
import { QueryError, toProblem } from '../answers';
import { useApp, useServices } from '../context';

const route = 'GET /api/apps/:appId/requests/:requestId/items';
/** More pages than these are not read again while messages are being sent. */
const maxLivePages = 3;

/** The items of a request that match, page by page. */
export function useItems(
  requestId: string,
  filters: ItemFilters,
  { everyMs, isSettled }: { everyMs: number; isSettled: boolean },
) {
  const { id: appId } = useApp();
  const { api } = useServices();
  const list = useInfiniteQuery({
    queryKey: [route, { appId, requestId }, filters],
    async queryFn({ pageParam, signal }) {
      const query = { ...filters, ...(pageParam === 0 ? {} : { cursor: pageParam }) };
      const answer = await api.call(route, { appId, requestId, query }, signal);
      if ('problem' in answer) throw new QueryError(answer.problem);
      return answer.value;
    },
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => (state.data?.pages.length ?? 0) <= maxLivePages && everyMs,
  });
  // The last reading before everything was settled may show rows as they were before.
  const wasSettled = useRef(isSettled);
  const { refetch } = list;
  useEffect(() => {
    if (isSettled && !wasSettled.current) void refetch();
    wasSettled.current = isSettled;
  }, [isSettled, refetch]);
  const pages = list.data?.pages ?? [];
  return {
    value: list.data && pages.flatMap(({ items }) => items),
    readAt: list.dataUpdatedAt === 0 ? undefined : list.dataUpdatedAt,
    problem: toProblem(list.error),
    reload: async () => void (await list.refetch()),
    /** The last search stopped at its limit. */
    isPartial: pages.at(-1)?.isPartial ?? false,
    hasMore: list.hasNextPage,
    isReading: list.isFetching,
    readMore: () => void list.fetchNextPage(),
  };
}

export type ItemList = ReturnType<typeof useItems>;
