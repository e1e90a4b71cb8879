import {
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { Logger } from './log';
import type { NewSpan, OpenSpan, Tracing } from './span';
import { formatTraceparent, splitTraceparent } from './traceparent';
import { version } from './version';
import { withinTime } from './within-time';

/** How long the last spans may take to leave when the process stops. */
const closeTimeoutMs = 3_000;
const warnEveryMs = 60_000;

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

export type SdkTracing = Tracing & { close(): Promise<void> };

type SdkTracingOptions = { service: string; log: Pick<Logger, 'warn'> };

/**
 * Tracing by the OpenTelemetry SDK, which reads the standard variables itself. Its queue has a limit
 * (OTEL_BSP_MAX_QUEUE_SIZE, by default 2,048 spans); spans beyond it are dropped.
 */
export function createSdkTracing({ service, log }: SdkTracingOptions): SdkTracing {
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service, 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(warnOfLosses(new OTLPTraceExporter(), log))],
  });
  const tracer = provider.getTracer('belfry', version);

  function start({ name, kind, parent, startMs, attributes }: NewSpan): OpenSpan {
    const toEpochMs = createEpochClock();
    const options = { kind: kinds[kind], startTime: toEpochMs(startMs), attributes };
    const span = tracer.startSpan(name, options, createContext(parent));
    const { traceId, spanId, traceFlags } = span.spanContext();
    const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
    return {
      traceparent: formatTraceparent({ traceId, spanId, isSampled }),
      end({ endMs = performance.now(), attributes: more = {}, error }) {
        span.setAttributes(more);
        if (error !== undefined) {
          span.setAttribute('error.type', error);
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end(toEpochMs(endMs));
      },
    };
  }

  return {
    start,
    close: async () => void (await withinTime(provider.shutdown(), closeTimeoutMs)),
  };
}

function createContext(parent: string | undefined): Context {
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = splitTraceparent(parent);
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** Start and end of a span by one clock: its duration stays right when the system's clock is set in between. */
function createEpochClock(): (ms: number) => number {
  const offsetMs = Date.now() - performance.now();
  return (ms) => offsetMs + ms;
}

/** Logs lost spans at most once a minute: a collector can be away for long. */
function warnOfLosses(exporter: SpanExporter, log: Pick<Logger, 'warn'>): SpanExporter {
  let lost = 0;
  let quietUntilMs = 0;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error) {
          lost += spans.length;
          if (performance.now() >= quietUntilMs) {
            log.warn('traces.not_exported', { count: lost, error: result.error });
            lost = 0;
            quietUntilMs = performance.now() + warnEveryMs;
          }
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
