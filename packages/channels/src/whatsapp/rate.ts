import type { ProviderRate } from '../rate';

/** Meta's limits hold whoever carries the message: of a number, and of a number and a person together. */
export const whatsappRate = {
  perSecond: 80,
  getTargetRate: () => ({ everyMs: 6_000, burst: 1 }),
} as const satisfies ProviderRate;
