import type { PrismaClient } from '@belfry/database';

/** A message in the terminal output of `npm start`. */
export type FeedMessage = {
  id: string;
  channel: string;
  target: string;
  state: string;
  reason: string | null;
  waits: string | null;
};

export function listFeedMessages(prisma: PrismaClient, ids: string[]): Promise<FeedMessage[]> {
  return prisma.message.findMany({
    where: { id: { in: ids } },
    select: { id: true, channel: true, target: true, state: true, reason: true, waits: true },
    orderBy: { id: 'asc' },
  });
}

/** Lists the channels that the requests' items skipped, with reasons. */
export async function listFeedSkips(
  prisma: PrismaClient,
  requestIds: string[],
): Promise<{ channel: string; reason: string }[]> {
  const items = await prisma.requestItem.findMany({
    where: { requestId: { in: requestIds } },
    select: { skips: true },
    take: maxItems,
  });
  return items.flatMap(({ skips }) =>
    Object.entries(skips ?? {}).map(([channel, skip]) => ({ channel, reason: getReason(skip) })),
  );
}

const maxItems = 100;

function getReason(skip: unknown): string {
  const isObject = typeof skip === 'object' && skip !== null;
  return String(isObject && 'reason' in skip ? skip.reason : skip);
}
