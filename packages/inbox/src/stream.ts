import { type Call, type Gateway, readRetryAfterMs } from './gateway';
import type { Times } from './platform';
import { createSseParser, type SseEvent } from './sse';

export type StreamOptions = {
  gateway: Pick<Gateway, 'send'>;
  times: Times;
  lastEventId: string;
  signal: AbortSignal;
  /** The first byte is here, so no proxy collects the answer. */
  onOpen(): void;
  onEvent(event: SseEvent): void;
  onRetry(ms: number): void;
};

export type StreamEnd = {
  /** `stopped`: the gateway wants no stream. `unreachable`: no answer. */
  end: 'closed' | 'refused' | 'stopped' | 'unreachable';
  /** Bytes were received. */
  hasProgress: boolean;
  retryAfterMs: number;
};

/** Reads a stream to its end. `fetch` instead of `EventSource`, which cannot send a header. */
export async function readStream(options: StreamOptions): Promise<StreamEnd> {
  const watchdog = createWatchdog(options);
  let hasProgress = false;
  let end: StreamEnd['end'] = 'unreachable';
  try {
    const call = buildCall(options.lastEventId, watchdog.signal);
    const response = await options.gateway.send(call);
    if (!isEventStream(response)) return toRefusal(response);
    end = 'closed';
    await readBody(response, options, () => {
      watchdog.touch();
      if (!hasProgress) options.onOpen();
      hasProgress = true;
    });
  } catch {
    // The connection broke, or the gateway was silent for too long.
  } finally {
    watchdog.end();
  }
  return { end, hasProgress, retryAfterMs: 0 };
}

async function readBody(
  { body }: Response,
  options: StreamOptions,
  onBytes: () => void,
): Promise<void> {
  const parse = createSseParser(options);
  const reader = body?.getReader();
  for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) {
    onBytes();
    parse(chunk.value);
  }
}

/** Its signal aborts without bytes for too long, and with the signal of the caller. */
function createWatchdog({ times, signal }: StreamOptions) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let timer = setTimeout(abort, times.openMs);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  return {
    signal: controller.signal,
    touch() {
      clearTimeout(timer);
      timer = setTimeout(abort, times.idleMs);
    },
    end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      abort();
    },
  };
}

function buildCall(lastEventId: string, signal: AbortSignal): Call {
  return {
    path: 'stream',
    signal,
    headers: {
      Accept: 'text/event-stream',
      ...(lastEventId && { 'Last-Event-ID': lastEventId }),
    },
  };
}

function isEventStream({ status, headers }: Response): boolean {
  return status === 200 && !!headers.get('Content-Type')?.startsWith('text/event-stream');
}

function toRefusal(response: Response): StreamEnd {
  const end = response.status === 204 ? 'stopped' : 'refused';
  return { end, hasProgress: false, retryAfterMs: readRetryAfterMs(response) };
}
