import { Type } from '@sinclair/typebox';
import { keepsCredentials } from './credential-marks';

/** How fast a provider takes messages. What its integration sets in `max_per_second` comes first. */
export type ProviderRate = {
  /** Of one integration, where the provider names a limit. */
  perSecond?: number;
  /** Of one target, beside that. */
  getTargetRate?(target: string): TargetRate;
};

/** One message every so often; after a pause `burst` of them at once. */
export type TargetRate = { everyMs: number; burst: number };

/** The setting of every integration that calls somebody; `perSecond` is the provider's own limit, where it has one. */
export function maxPerSecondSetting(perSecond?: number) {
  return Type.Optional(
    Type.Number({
      title: 'Messages a second, at most',
      description: `Over all workers; what does not fit waits its turn. ${describeEmpty(perSecond)}`,
      minimum: 0.1,
      maximum: 10_000,
      ...keepsCredentials,
      ...(perSecond === undefined ? {} : { default: perSecond }),
    }),
  );
}

function describeEmpty(perSecond: number | undefined): string {
  return perSecond === undefined ? 'Empty sets no limit.' : `Empty means ${perSecond}.`;
}

/** The limit that holds for an integration; undefined where there is none. */
export function getMaxPerSecond(
  { max_per_second: maxPerSecond }: Record<string, unknown>,
  rate: ProviderRate | undefined,
): number | undefined {
  return typeof maxPerSecond === 'number' && maxPerSecond > 0 ? maxPerSecond : rate?.perSecond;
}
