import { Type } from '@sinclair/typebox';
import { keepsCredentials } from './credential-marks';

/** A provider's rate limits. The integration's `max_per_second` takes precedence. */
export type ProviderRate = {
  /** Per integration, when the provider documents a limit. */
  perSecond?: number;
  /** Per target, in addition. */
  getTargetRate?(target: string): TargetRate;
};

/** One message per `everyMs`; after a pause, `burst` at once. */
export type TargetRate = { everyMs: number; burst: number };

/**
 * The `max_per_second` setting of every integration with a provider call. `perSecond` is the
 * provider's own limit, if any.
 */
export function maxPerSecondSetting(perSecond?: number) {
  return Type.Optional(
    Type.Number({
      title: 'Maximum messages per second',
      description: `Across all workers; messages over the limit wait. ${describeEmpty(perSecond)}`,
      minimum: 0.1,
      maximum: 10_000,
      ...keepsCredentials,
      ...(perSecond === undefined ? {} : { default: perSecond }),
    }),
  );
}

function describeEmpty(perSecond: number | undefined): string {
  return perSecond === undefined ? 'Empty means no limit.' : `Empty means ${perSecond}.`;
}

/** The limit of an integration; undefined when there is none. */
export function getMaxPerSecond(
  { max_per_second: maxPerSecond }: Record<string, unknown>,
  rate: ProviderRate | undefined,
): number | undefined {
  return typeof maxPerSecond === 'number' && maxPerSecond > 0 ? maxPerSecond : rate?.perSecond;
}
