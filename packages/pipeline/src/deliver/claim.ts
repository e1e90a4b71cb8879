import { performance } from 'node:perf_hooks';
import { createBatcher } from '@belfry/runtime';
import type { Claim } from './claim.sql';
import type { TimedClaim } from './deliver';

export type ClaimsDeps = {
  /**
   * Claims those that nothing may stand in the way of, undefined for each other one; left out where something always
   * may.
   */
  claimEligible?(ids: string[]): Promise<(Claim | undefined)[]>;
  claim(ids: string[]): Promise<Claim[]>;
};

export type Claims = {
  add(id: string): Promise<TimedClaim>;
};

const claimsPerFlush = 200;
const maxClaimsWaiting = 100_000;

/** Claims what comes together in one statement, and in a second one what the first could not tell. */
export function createClaims({ claimEligible, claim }: ClaimsDeps): Claims {
  const fullClaims = createTimed(claim);
  const quickClaims = claimEligible && createTimed(claimEligible);
  return {
    async add(id) {
      const quickClaim = await quickClaims?.add(id);
      return quickClaim?.claim ? { ...quickClaim, claim: quickClaim.claim } : fullClaims.add(id);
    },
  };
}

function createTimed<Result extends Claim | undefined>(find: (ids: string[]) => Promise<Result[]>) {
  return createBatcher<string, { claim: Result; claimedAtMs: number }>({
    async flush(ids) {
      // From here, not from `add`: waiting for the flush before takes nothing from the lease.
      const claimedAtMs = performance.now();
      const claims = await find(ids);
      return claims.map((each) => ({ claim: each, claimedAtMs }));
    },
    maxBatch: claimsPerFlush,
    maxWaiting: maxClaimsWaiting,
    getKey: (id) => id,
  });
}
