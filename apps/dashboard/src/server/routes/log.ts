import { type AnyChannel, sandboxProvider } from '@belfry/channels';
import type { LogEntry, LogFilter, RequestLog } from '@belfry/pipeline/operate';
import type { Response } from 'express';
import type { LiveEvent } from '../../api/log';
import { readLogFilter } from '../log-filter';
import type { LogLive } from '../log-live';
import { toLogRow } from '../log-row';
import { Refusal } from '../problem';
import type { AppCall, Handlers } from '../route';
import type { Sessions } from '../sessions';

export type LogHandlersDeps = {
  channels: Record<string, AnyChannel>;
  states: readonly string[];
  log: RequestLog;
  live: LogLive;
  sessions: Pick<Sessions, 'find'>;
  /** Providers of the integrations, for filters of the live tail. */
  listProviders(appId: string): Promise<Map<string, string>>;
};

const heartbeatIntervalMs = 15_000;
const sessionCheckEveryMs = 5_000;

/** The request log, newest first, and its live stream. */
export function createLogHandlers(deps: LogHandlersDeps) {
  const findEventIds = deps.log.findEventIds;
  const filterDeps = { channels: deps.channels, states: deps.states, findEventIds };

  return {
    async 'GET /api/apps/:appId/log'({ app, query }) {
      const filter = await readLogFilter(app.id, query, filterDeps);
      if (!filter) return { rows: [], next: null, isPartial: false };
      const { ids, next, isPartial } = await deps.log.readPage(filter);
      const entries = await deps.log.readEntries(app.id, ids);
      return { rows: entries.map(toLogRow), next: next ?? null, isPartial };
    },

    async 'GET /api/apps/:appId/log/live'(call) {
      const { app, res, session, query } = call;
      const filter = await readLogFilter(app.id, query, filterDeps);
      const providers = await deps.listProviders(app.id);
      const notify = createNotifier(res);
      const isMatch = (entry: LogEntry) =>
        filter !== undefined && matches(entry, filter, providers);
      const { id: operatorId } = session.operator;
      const stop = deps.live.listen({ appId: app.id, operatorId, isMatch, notify });
      if (!stop)
        throw new Refusal('unavailable', 'Too many pages follow the live log. Close one of them.');
      openStream(res);
      const heartbeat = setInterval(() => res.write(':\n\n'), heartbeatIntervalMs);
      const check = setInterval(() => void endWithSession(call, notify), sessionCheckEveryMs);
      res.on('close', () => {
        clearInterval(heartbeat);
        clearInterval(check);
        stop();
      });
      return undefined;
    },
  } satisfies Partial<Handlers>;

  async function endWithSession(
    { req, res }: AppCall,
    notify: (event: LiveEvent) => void,
  ): Promise<void> {
    // PostgreSQL may be unavailable. The stream reports that; it must not end the session.
    const session = await deps.sessions.find(req).catch(() => true);
    if (session) return;
    notify({ type: 'ended' });
    res.end();
  }
}

/** Proxies must neither buffer nor change the stream. */
function openStream(res: Response): void {
  res.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
  });
  res.write(':\n\n');
}

/** Bounds the buffer for a page that does not read. */
const maxUnreadBytes = 1024 * 1024;

function createNotifier(res: Response): (event: LiveEvent) => void {
  return ({ type, ...data }) => {
    if (res.writableEnded) return;
    if (res.writableLength > maxUnreadBytes) {
      // The browser reconnects, and the page reads what it missed.
      res.destroy();
      return;
    }
    res.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
    if (type === 'ended') res.end();
  };
}

/** Applies the log filters to one request. */
function matches(entry: LogEntry, filter: LogFilter, providers: Map<string, string>): boolean {
  return isMatchingRequest(entry, filter) && hasMessage(entry, filter, providers);
}

function isMatchingRequest(entry: LogEntry, filter: LogFilter): boolean {
  const { requestId, idempotencyKey, recipient, before, from, eventIds } = filter;
  const rules = [
    requestId === undefined || entry.requestId === requestId,
    idempotencyKey === undefined || entry.idempotencyKey === idempotencyKey,
    before === undefined || entry.requestId < before,
    from === undefined || entry.requestId >= from,
    eventIds?.includes(entry.eventId) ?? true,
    recipient === undefined || isFor(entry, recipient),
  ];
  return rules.every((rule) => rule);
}

function isFor({ messages, recipient }: LogEntry, searchedRecipient: string): boolean {
  if (messages.some(({ target }) => target === searchedRecipient)) return true;
  const user: unknown = recipient === null ? undefined : JSON.parse(recipient);
  return (
    typeof user === 'object' &&
    user !== null &&
    'user_id' in user &&
    user.user_id === searchedRecipient
  );
}

function hasMessage(
  { messages, skips, isSandbox }: LogEntry,
  { channels, states, reason, provider, waits }: LogFilter,
  providers: Map<string, string>,
): boolean {
  if ([channels, states, reason, provider].every((filter) => filter === undefined)) return true;
  const isChannel = (channel: string) => channels?.includes(channel) ?? true;
  const isState = (state: string) => states?.includes(state) ?? true;
  const isReason = (name: string | null) => reason === undefined || name === reason;
  const getProvider = (id: string | null) =>
    isSandbox ? sandboxProvider : providers.get(id ?? '');
  const isProvider = (id: string | null) => provider === undefined || getProvider(id) === provider;
  const isWaiting = (name: string | null) => waits === undefined || name === waits;
  const isSkipped = Object.entries(skips).some(
    ([channel, skip]) => isChannel(channel) && isState('skipped') && isReason(skip.reason),
  );
  return (
    (provider === undefined && isSkipped) ||
    messages.some(
      (message) =>
        isChannel(message.channel) &&
        isState(message.state) &&
        isWaiting(message.waits) &&
        isReason(message.reason) &&
        isProvider(message.integrationId),
    )
  );
}
