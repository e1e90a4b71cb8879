import type { Secrets } from '@belfry/runtime';
import type { ReaderSession } from './reader-token';

/** Permission to open a stream by its URL, for a browser's EventSource, which cannot send headers. */
type StreamTicket = ReaderSession & { appId: string; expiresAtMs: number };

const place = 'inbox_stream_ticket';
export const ticketSeconds = 60;

/** Seals a session for use in a URL, so that only we can create and read it. */
export function writeStreamTicket(
  { appId, ...session }: ReaderSession & { appId: string },
  secrets: Pick<Secrets, 'seal'>,
): string {
  const ticket: StreamTicket = {
    ...session,
    appId,
    expiresAtMs: Date.now() + ticketSeconds * 1_000,
  };
  return secrets.seal(JSON.stringify(ticket), place);
}

/** Undefined for a text that we did not create, that expired, or that is for another app. */
export function readStreamTicket(
  text: string,
  appId: string,
  secrets: Pick<Secrets, 'open'>,
): ReaderSession | undefined {
  try {
    // Safe cast: writeStreamTicket sealed it.
    const ticket = JSON.parse(secrets.open(text, place)) as StreamTicket;
    return ticket.appId === appId && ticket.expiresAtMs > Date.now() ? ticket : undefined;
  } catch {
    return undefined;
  }
}
