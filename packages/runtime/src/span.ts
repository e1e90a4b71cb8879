export type SpanAttributes = Record<string, string | number | undefined>;

export type NewSpan = {
  name: string;
  kind: 'server' | 'client' | 'consumer' | 'internal';
  /** The `traceparent` of the parent; without one, the span begins a trace. */
  parent: string | undefined;
  /** By `performance.now()`. */
  startMs: number;
  attributes: SpanAttributes;
};

export type SpanEnd = {
  /** By `performance.now()`; by default now. */
  endMs?: number | undefined;
  attributes?: SpanAttributes;
  /** A reason from a fixed list, if the work failed. */
  error?: string | undefined;
};

export type OpenSpan = {
  /** For the children of this span. */
  traceparent: string;
  end(end: SpanEnd): void;
};

/** Starts spans and exports them. Never throws, and never waits for the collector. */
export type Tracing = { start(span: NewSpan): OpenSpan };
