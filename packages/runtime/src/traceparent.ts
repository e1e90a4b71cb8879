/** A longer header is not from a tracer. */
const maxCharacters = 512;

/** Version, trace ID, span ID, flags, and what versions after 00 may add. IDs of zeros and version ff are invalid. */
const shape =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

const sampledFlag = 1;

/**
 * Reads a `traceparent` header as W3C Trace Context defines it, and returns it in version 00, as it is stored. Undefined if
 * it is absent or invalid: an invalid one is ignored. Node joins repeated headers with a comma, which is invalid, too.
 */
export function parseTraceparent(header: string | undefined): string | undefined {
  if (header === undefined || header.length > maxCharacters) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = shape.exec(header) ?? [];
  if (version === undefined || (version === '00' && more !== undefined)) return undefined;
  return formatTraceparent({ traceId, spanId, isSampled: isSampled(flags) });
}

function isSampled(flags: string): boolean {
  return (Number.parseInt(flags, 16) & sampledFlag) !== 0;
}

export type TraceParent = { traceId: string; spanId: string; isSampled: boolean };

export function formatTraceparent({ traceId, spanId, isSampled: isOn }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isOn ? '01' : '00'}`;
}

/** Splits a text that `parseTraceparent` or `formatTraceparent` returned. */
export function splitTraceparent(traceparent: string): TraceParent {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, isSampled: isSampled(flags) };
}

/** The trace ID of a stored `traceparent`, for logs and pages. */
export function getTraceId(traceparent: string | undefined): string | undefined {
  return traceparent?.slice(3, 35);
}
