import type { Request, RequestHandler, Response } from 'express';
import { getCall } from '../call';
import { readQueryValue } from '../query-values';
import type { ReaderCalls } from '../reader-calls';
import type { InboxStreams } from '../streams/inbox-streams';

export type InboxStreamDeps = { inboxStreams: InboxStreams };

/** `GET /v1/apps/{app_id}/in_app_notifications/stream`: server-sent events for one reader. */
export function createInboxStreamRoute(
  { inboxStreams }: InboxStreamDeps,
  { bySession }: Pick<ReaderCalls, 'bySession'>,
): RequestHandler {
  return bySession(
    async ({ address, session, query }, req, res) => {
      const lastEventId = readHeader(req) ?? readQueryValue(query, 'last_event_id');
      inboxStreams.check(address);
      writeStreamHead(res);
      // Express also calls this for HEAD.
      if (req.method === 'HEAD') {
        res.end();
        return;
      }
      const { credentialId, endsAtMs } = session;
      inboxStreams.open({ res, address, credentialId, endsAtMs, lastEventId });
    },
    { isStream: true },
  );
}

/** A browser sends it when it reconnects. It is newer than the one in the URL. */
function readHeader(req: Request): string | undefined {
  const id = req.headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** `no-transform` and `X-Accel-Buffering` keep proxies from compressing and buffering, which would delay events. */
function writeStreamHead(res: Response): void {
  const call = getCall(res);
  call.answeredAtMs = performance.now();
  res.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
    'X-Request-Id': call.id,
    ...call.headers,
  });
}
