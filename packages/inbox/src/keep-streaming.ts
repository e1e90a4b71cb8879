import type { LiveMessage } from './feed';
import { parseJson } from './gateway';
import { type Platform, wait } from './platform';
import type { StreamEnd, StreamOptions } from './stream';
import type { InboxConnection } from './types';

export type StreamingDeps = {
  platform: Platform;
  readStream(options: Omit<StreamOptions, 'gateway' | 'times'>): Promise<StreamEnd>;
  getLastEventId(): string;
  onMessage(message: LiveMessage): void;
  onConnection(connection: InboxConnection): void;
  signal: AbortSignal;
};

/** After so many failures in a row, the inbox also polls. */
const failuresBeforePolling = 2;
const minReopenMs = 100;

/** Opens the stream again and again until the signal aborts. While it fails, the inbox polls. */
export async function keepStreaming(deps: StreamingDeps): Promise<void> {
  const { platform, signal, onConnection } = deps;
  let previous = deps.getLastEventId();
  let reopenMs = platform.times.reopenMs;
  let failures = 0;

  function publish(event: string, id: string, data?: unknown): void {
    deps.onMessage({ id, previous, event, data });
    previous = id;
  }

  onConnection('connecting');
  while (!signal.aborted) {
    const end = await deps.readStream({
      lastEventId: previous,
      signal,
      onOpen: () => onConnection('streaming'),
      onEvent: ({ event, id, data }) => publish(event, id, parseJson(data)),
      onRetry(ms) {
        reopenMs = Math.max(ms, minReopenMs);
      },
    });
    if (signal.aborted) return;
    failures = end.hasProgress ? 0 : failures + 1;
    const { connection, restMs } = planRest(end, { failures, reopenMs, platform });
    onConnection(connection);
    const poll = connection === 'connecting' ? undefined : () => publish('poll', previous);
    await rest(deps, restMs, poll);
  }
}

type RestFacts = { failures: number; reopenMs: number; platform: Platform };

function planRest(
  { end, retryAfterMs }: StreamEnd,
  { failures, reopenMs, platform: { times, random } }: RestFacts,
): { connection: InboxConnection; restMs: number } {
  if (end === 'stopped') return { connection: 'polling', restMs: Number.POSITIVE_INFINITY };
  const backOffMs = Math.min(reopenMs * 2 ** failures, times.maxReopenMs);
  const restMs = Math.max(backOffMs * (0.5 + random() / 2), retryAfterMs);
  if (failures < failuresBeforePolling) return { connection: 'connecting', restMs };
  return { connection: end === 'unreachable' ? 'offline' : 'polling', restMs };
}

/** Ends early when the page becomes visible or online. */
async function rest(
  { platform, signal }: Pick<StreamingDeps, 'platform' | 'signal'>,
  restMs: number,
  poll: (() => void) | undefined,
): Promise<void> {
  const until = platform.now() + restMs;
  for (let leftMs = restMs; leftMs > 0; leftMs = until - platform.now()) {
    poll?.();
    const nextMs = poll ? Math.min(leftMs, platform.times.pollMs) : leftMs;
    if (await wait(platform, nextMs, signal)) return;
  }
}
