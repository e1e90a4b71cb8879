import type { Response } from 'express';
import type { LiveEvent } from '../../api/log';
import { type LogFilterDeps, readLogFilter, toAcceptedAt } from '../log-filter';
import type { LogLive, ReadLog } from '../log-live';
import { toLagSeconds, toLogRow } from '../log-row';
import { Refusal } from '../problem';
import type { AppCall, Handlers } from '../route';
import type { Sessions } from '../sessions';

export type LogHandlersDeps = LogFilterDeps & {
  readLog: ReadLog;
  live: LogLive;
  sessions: Pick<Sessions, 'find'>;
};

const nothingSearched = { next: null, searchedFrom: null, skipsSearchedFrom: null };
const emptyPage = { rows: [], lagSeconds: 0, ...nothingSearched };
const heartbeatIntervalMs = 15_000;
const sessionCheckEveryMs = 5_000;

/** The request log, newest first, and its live stream. */
export function createLogHandlers(deps: LogHandlersDeps) {
  return {
    async 'GET /api/apps/:appId/log'({ app, query }) {
      const filter = await readLogFilter(app.id, query, deps);
      if (!filter) return emptyPage;
      const { value, lagMs } = await deps.readLog(async (log) => {
        const page = await log.readPage(filter);
        return { ...page, entries: await log.readEntries(app.id, page.ids) };
      });
      const { entries, next, isPartial, skipsSearchedFrom } = value;
      return {
        rows: entries.map(toLogRow),
        lagSeconds: toLagSeconds(lagMs),
        next: next ?? null,
        searchedFrom: isPartial && next ? toAcceptedAt(next) : null,
        skipsSearchedFrom: skipsSearchedFrom ? toAcceptedAt(skipsSearchedFrom) : null,
      };
    },

    async 'GET /api/apps/:appId/log/live'(call) {
      const { app, res, session, query } = call;
      const filter = await readLogFilter(app.id, query, deps);
      const notify = createNotifier(res);
      const { id: operatorId } = session.operator;
      const stop = deps.live.listen({ appId: app.id, operatorId, filter, notify });
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
