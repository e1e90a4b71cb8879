import { type ClaimsDeps, createClaims } from './claim';
import type { Claim } from './claim.sql';

const stale: Claim = { kind: 'stale' };
const settled: Claim = { kind: 'settled', state: 'failed', reason: 'expired' };
const lease = { worker: 'test', leaseMs: 1_000 };

/** A store in which every message is clear but for those whose name begins with `held`. */
function setUp(changes: Partial<ClaimsDeps> = {}) {
  const clearly: string[][] = [];
  const closely: string[][] = [];
  const claims = createClaims({
    async claimEligible({ ids }) {
      clearly.push(ids);
      return ids.map((id) => (id.startsWith('held') ? undefined : stale));
    },
    async claim({ ids }) {
      closely.push(ids);
      return ids.map(() => settled);
    },
    ...lease,
    ...changes,
  });
  const claimAll = (ids: string[]) => Promise.allSettled(ids.map((id) => claims.add(id)));
  return { claimAll, clearly, closely };
}

const listClaims = (ended: Awaited<ReturnType<ReturnType<typeof setUp>['claimAll']>>) =>
  ended.map((each) => (each.status === 'fulfilled' ? each.value.claim : 'rejected'));

describe('claims', () => {
  test('share a statement, and those that are not clear a second one', async () => {
    const { claimAll, clearly, closely } = setUp();
    const ended = await claimAll(['a', 'held 1', 'b', 'held 2']);
    expect(listClaims(ended)).toEqual([stale, settled, stale, settled]);
    expect([clearly, closely]).toEqual([[['a', 'held 1', 'b', 'held 2']], [['held 1', 'held 2']]]);
  });

  test('that are clear count, also where the look at the others fails', async () => {
    const { claimAll } = setUp({ claim: () => Promise.reject(new Error('lost')) });
    expect(listClaims(await claimAll(['a', 'held']))).toEqual([stale, 'rejected']);
  });

  test('are looked at closely at once where none is ever clear', async () => {
    const claims = createClaims({
      claim: async ({ ids }) => ids.map(() => settled),
      ...lease,
    });
    expect((await claims.add('a')).claim).toEqual(settled);
  });
});
