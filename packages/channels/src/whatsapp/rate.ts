import type { ProviderRate } from '../rate';

/** Meta's limits per number, and per number and person. They apply with every provider. */
export const whatsappRate = {
  perSecond: 80,
  getTargetRate: () => ({ everyMs: 6_000, burst: 1 }),
} as const satisfies ProviderRate;
