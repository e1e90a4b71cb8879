import type { Env } from './env';
import type { Logger } from './log';
import type { Shutdown } from './shutdown';
import type { Tracing } from './span';
import { isTracingOn } from './tracing-settings';

export type TracingOptions = {
  env: Env<'api'> | Env<'worker'>;
  /** The service name, unless OTEL_SERVICE_NAME sets another. */
  service: string;
  log: Pick<Logger, 'warn'>;
  shutdown: Pick<Shutdown, 'add'>;
};

/**
 * Undefined if traces are off: a call site then costs one comparison. The SDK is loaded only if they are on. Create it
 * before what creates spans is registered at `shutdown`, so that it is closed later.
 */
export function createTracing({
  env,
  service,
  log,
  shutdown,
}: TracingOptions): Tracing | undefined {
  if (!isTracingOn(env)) return undefined;
  const { createSdkTracing }: typeof import('./tracing-sdk') = require('./tracing-sdk');
  const tracing = createSdkTracing({ service: env.OTEL_SERVICE_NAME || service, log });
  shutdown.add('traces', tracing.close);
  return tracing;
}
