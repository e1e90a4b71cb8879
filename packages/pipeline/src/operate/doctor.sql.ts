import type { PrismaClient } from '@belfry/database';
import {
  type MessageState,
  maskTarget,
  type RequestTimeline,
  type VersionDefinition,
} from '@belfry/shared';
import { readFailovers } from '../deliver/failover.sql';
import { countPlannedItems } from './is-planned.sql';
import { getResendRun } from './resend-run.sql';

export type ConfiguredIntegration = {
  id: string;
  appName: string;
  name: string;
  channel: string;
  provider: string;
  state: string;
  settings: Record<string, unknown>;
  /** Sealed JSON; see `integrationPlace`. */
  credentials: string;
};

/** Lists the integrations of all apps, oldest first. */
export async function listIntegrations(
  prisma: PrismaClient,
  limit: number,
): Promise<ConfiguredIntegration[]> {
  const rows = await prisma.integration.findMany({
    where: { deletedAt: null, app: { deletedAt: null } },
    orderBy: { id: 'asc' },
    take: limit,
    include: { app: { select: { name: true } } },
  });
  return rows.map(({ app, settings, ...row }) => ({
    ...row,
    appName: app.name,
    // Settings are objects by their provider's schema.
    settings: settings as Record<string, unknown>,
  }));
}

const maxMessagesShown = 50;
const maxItemsShown = 1_000;

/** Reads a request's stored rows with masked addresses; undefined if it does not exist, was removed, or is another app's. */
export async function readRequestTimeline(
  prisma: PrismaClient,
  id: string,
  appId?: string,
): Promise<RequestTimeline | undefined> {
  const appFilter = appId === undefined ? {} : { appId };
  const request = await prisma.request.findUnique({ where: { id, ...appFilter } });
  if (!request) return undefined;
  const [app, event, version, items, messages] = await Promise.all([
    prisma.app.findUnique({ where: { id: request.appId } }),
    prisma.event.findUnique({ where: { id: request.eventId } }),
    prisma.eventVersion.findUnique({ where: { id: request.versionId } }),
    prisma.requestItem.findMany({
      where: { requestId: id },
      select: { item: true, skips: true },
      orderBy: { item: 'asc' },
      take: maxItemsShown,
    }),
    readMessages(prisma, id),
  ]);
  return {
    id,
    appName: app?.name ?? request.appId,
    delivery: app?.delivery ?? 'live',
    eventName: event?.name ?? request.eventId,
    kind: request.kind,
    items: request.items,
    plannedItems: countPlannedItems(request),
    createdAt: request.createdAt,
    isSensitive: isSensitive(version?.definition),
    skips: items.flatMap(toSkips),
    messages: messages.slice(0, maxMessagesShown),
    isCut: messages.length > maxMessagesShown || request.items > maxItemsShown,
  };
}

function isSensitive(definition: unknown): boolean {
  // The definition was validated when it was published.
  return (definition as VersionDefinition | undefined)?.isSensitive === true;
}

async function readMessages(
  prisma: PrismaClient,
  requestId: string,
): Promise<RequestTimeline['messages']> {
  const rows = await prisma.message.findMany({
    where: { requestId },
    orderBy: [{ item: 'asc' }, { channel: 'asc' }, { generation: 'asc' }, { id: 'asc' }],
    include: { attemptRows: { orderBy: { number: 'asc' } } },
    take: maxMessagesShown + 1,
  });
  const receipts = await prisma.receipt.findMany({
    where: { messageId: { in: rows.map((row) => row.id) } },
    orderBy: { receivedAt: 'asc' },
  });
  return rows.map((row) => ({
    id: row.id,
    item: row.item,
    channel: row.channel,
    target: maskTarget(row.channel, row.target),
    generation: row.generation,
    resendRun: getResendRun(row.notes) ?? undefined,
    // A database constraint allows only these states.
    state: row.state as MessageState,
    reason: row.reason ?? undefined,
    waits: row.waits ?? undefined,
    dueAt: row.dueAt ?? undefined,
    expiresAt: row.expiresAt,
    isQueued: row.jobId !== null,
    attempts: row.attemptRows.map(toAttempt),
    failovers: readFailovers(row.notes),
    receipts: receipts
      .filter(({ messageId }) => messageId === row.id)
      .map(({ state, receivedAt, detail }) => ({ state, receivedAt, detail: detail ?? undefined })),
  }));
}

type AttemptRow = Awaited<ReturnType<PrismaClient['attempt']['findFirstOrThrow']>>;

function toAttempt(row: AttemptRow): RequestTimeline['messages'][number]['attempts'][number] {
  return {
    number: row.number,
    openedAt: row.openedAt,
    closedAt: row.closedAt ?? undefined,
    worker: row.worker ?? undefined,
    provider: row.provider ?? undefined,
    outcome: row.outcome ?? undefined,
    reason: row.reason ?? undefined,
    detail: row.detail ?? undefined,
    isPossibleDuplicate: row.isPossibleDuplicate,
  };
}

function toSkips({ item, skips }: { item: number; skips: unknown }): RequestTimeline['skips'] {
  // Planning writes reason and detail by channel.
  const skipsByChannel = (skips ?? {}) as Record<string, { reason: string; detail?: string }>;
  return Object.entries(skipsByChannel).map(([channel, { reason, detail }]) => ({
    item,
    channel,
    reason,
    detail,
  }));
}
