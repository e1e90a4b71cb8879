/** An event of a stream. `id` is the last event ID, which an event without own ID inherits. */
export type SseEvent = { event: string; data: string; id: string };

export type SseParserOptions = {
  /** The ID from which the stream was resumed. */
  lastEventId: string;
  onEvent(event: SseEvent): void;
  /** The reconnection time that the server asks for. */
  onRetry(ms: number): void;
};

/** Larger than any event of the gateway. */
const maxEventCharacters = 1_000_000;

/**
 * Parses an event stream by the WHATWG rules ("Interpreting an event stream",
 * https://html.spec.whatwg.org/multipage/server-sent-events.html). Returns the function that takes the next bytes; it throws
 * if an event is too large.
 */
export function createSseParser(options: SseParserOptions): (bytes: Uint8Array) => void {
  const { onEvent, onRetry } = options;
  // It also removes a byte order mark at the beginning.
  const decoder = new TextDecoder();
  let line = '';
  let endsWithCr = false;
  let id = options.lastEventId;
  let event = '';
  let data = '';

  function readLine(text: string): void {
    if (text === '') dispatch();
    const colon = text.indexOf(':');
    const end = colon < 0 ? text.length : colon;
    readField(text.slice(0, end), text.slice(end + 1).replace(/^ /, ''));
  }

  /** A comment has an empty name. */
  function readField(name: string, value: string): void {
    if (name === 'data') data += `${value}\n`;
    if (name === 'event') event = value;
    if (name === 'id' && !value.includes('\0')) id = value;
    if (name === 'retry' && /^[0-9]+$/.test(value)) onRetry(Number(value));
  }

  function dispatch(): void {
    if (data !== '') onEvent({ event: event || 'message', data: data.slice(0, -1), id });
    event = '';
    data = '';
  }

  return function push(bytes) {
    let text = decoder.decode(bytes, { stream: true });
    if (text === '') return;
    // The pair CR LF was divided between two chunks.
    if (endsWithCr && text.startsWith('\n')) text = text.slice(1);
    endsWithCr = text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = line + lines[0];
    line = lines.pop() ?? '';
    lines.forEach(readLine);
    if (line.length + data.length > maxEventCharacters) throw new Error('The event is too large');
  };
}
