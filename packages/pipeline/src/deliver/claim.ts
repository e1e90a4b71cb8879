import { performance } from 'node:perf_hooks';
import { createBatcher } from '@belfry/runtime';
import type { Claim, ClaimOptions } from './claim.sql';
import type { TimedClaim } from './deliver';

export type ClaimsDeps = {
  /**
   * Claims those that nothing may stand in the way of, undefined for each other one; left out where something always
   * may.
   */
  claimEligible?(options: ClaimOptions): Promise<(Claim | undefined)[]>;
  claim(options: ClaimOptions): Promise<Claim[]>;
  worker: string;
  leaseMs: number;
};

export type Claims = {
  add(id: string): Promise<TimedClaim>;
};

const claimsPerFlush = 200;
const maxClaimsWaiting = 100_000;

/** Claims what comes together in one statement, and in a second one what the first could not tell. */
export function createClaims({ claimEligible, claim, ...lease }: ClaimsDeps): Claims {
  const fullClaims = createTimed(claim, lease);
  const quickClaims = claimEligible && createTimed(claimEligible, lease);
  return {
    async add(id) {
      const quickClaim = await quickClaims?.add(id);
      return quickClaim?.claim ? { ...quickClaim, claim: quickClaim.claim } : fullClaims.add(id);
    },
  };
}

function createTimed<Result extends Claim | undefined>(
  find: (options: ClaimOptions) => Promise<Result[]>,
  lease: Omit<ClaimOptions, 'ids'>,
) {
  return createBatcher<string, { claim: Result; claimedAtMs: number }>({
    async flush(ids) {
      // From here, not from `add`: waiting for the flush before takes nothing from the lease.
      const claimedAtMs = performance.now();
      const claims = await find({ ids, ...lease });
      return claims.map((each) => ({ claim: each, claimedAtMs }));
    },
    maxBatch: claimsPerFlush,
    maxWaiting: maxClaimsWaiting,
    getKey: (id) => id,
  });
}
