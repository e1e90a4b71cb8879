import { performance } from 'node:perf_hooks';
import type { Claim } from '@belfry/database';
import { createBatcher } from '@belfry/runtime';
import type { TimedClaim } from './deliver';

export type ClaimsDeps = {
  /**
   * Claims those that nothing may stand in the way of, undefined for each other one; left out where something always
   * may.
   */
  claimClear?(ids: string[]): Promise<(Claim | undefined)[]>;
  claim(ids: string[]): Promise<Claim[]>;
};

export type Claims = {
  add(id: string): Promise<TimedClaim>;
};

const claimsPerFlush = 200;
const maxClaimsWaiting = 100_000;

/** Claims what comes together in one statement, and in a second one what the first could not tell. */
export function createClaims({ claimClear, claim }: ClaimsDeps): Claims {
  const closely = createTimed(claim);
  const clear = claimClear && createTimed(claimClear);
  return {
    async add(id) {
      const found = await clear?.add(id);
      return found?.claim ? { ...found, claim: found.claim } : closely.add(id);
    },
  };
}

function createTimed<Found extends Claim | undefined>(find: (ids: string[]) => Promise<Found[]>) {
  return createBatcher<string, { claim: Found; claimedAtMs: number }>({
    async flush(ids) {
      // From here, not from `add`: waiting for the flush before takes nothing from the lease.
      const claimedAtMs = performance.now();
      const found = await find(ids);
      return found.map((each) => ({ claim: each, claimedAtMs }));
    },
    maxBatch: claimsPerFlush,
    maxWaiting: maxClaimsWaiting,
    keyOf: (id) => id,
  });
}
