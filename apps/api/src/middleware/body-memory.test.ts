import { type BodyKind, type BodyLease, createBodyMemory } from './body-limits';

const megabyte = 1_000_000;
const options = { maxBytes: 64 * megabyte, maxBodyBytes: 10 * megabyte };

const lease = (kind: BodyKind, owner: string): BodyLease => ({
  kind,
  owner,
  reserved: 0,
  shared: 0,
});

/** Takes bodies of a size until one is refused. Returns their number and the code of the refusal. */
function fill(
  memory: ReturnType<typeof createBodyMemory>,
  kind: BodyKind,
  owner: string,
  bytes: number,
) {
  for (let bodies = 0; ; bodies += 1) {
    const refusal = memory.take(lease(kind, owner), bytes);
    if (refusal) return { bodies, code: refusal.code };
  }
}

describe('createBodyMemory', () => {
  test('gives one account a body of the maximum size, then refuses with a full share', () => {
    const memory = createBodyMemory(options);
    expect(fill(memory, 'account', 'a', 10 * megabyte)).toEqual({
      bodies: 1,
      code: 'rate_limited',
    });
  });

  test('keeps room for other accounts, however much one account holds', () => {
    const memory = createBodyMemory(options);
    for (const bytes of [10 * megabyte, 100_000, 60_000, 1]) fill(memory, 'account', 'a', bytes);
    expect(memory.take(lease('account', 'b'), 10 * megabyte)).toBeUndefined();
    expect(memory.take(lease('account', 'c'), 1_000)).toBeUndefined();
    expect(memory.take(lease('receipt', 'b'), megabyte)).toBeUndefined();
    expect(memory.take(lease('network', 'n'), 16_000)).toBeUndefined();
  });

  test('accepts small bodies of an account whose large ones fill its share', () => {
    const memory = createBodyMemory(options);
    fill(memory, 'account', 'a', 100_000);
    expect(memory.take(lease('account', 'a'), 60_000)).toBeUndefined();
  });

  test('accepts small bodies and receipts when accounts together hold the rest', () => {
    const memory = createBodyMemory(options);
    const codes = [1, 2, 3, 4, 5].map((id) => fill(memory, 'account', `a${id}`, 9 * megabyte).code);
    expect(codes).toEqual([...Array(4).fill('rate_limited'), 'unavailable']);
    expect(memory.take(lease('account', 'b'), 60_000)).toBeUndefined();
    expect(memory.take(lease('receipt', 'b'), 60_000)).toBeUndefined();
    expect(memory.take(lease('network', 'n'), 16_000)).toBeUndefined();
  });

  test('charges 4 KB for each call, so that the number of tiny unfinished bodies is limited', () => {
    const memory = createBodyMemory(options);
    const { bodies, code } = fill(memory, 'account', 'a', 1);
    expect(code).toBe('rate_limited');
    expect(bodies).toBeLessThan(3_000);
  });

  test('charges bodies read before authentication to no account', () => {
    const memory = createBodyMemory(options);
    for (let network = 0; network < 20; network += 1)
      fill(memory, 'network', `n${network}`, 16_000);
    expect(memory.take(lease('network', 'n'), 16_000)).toMatchObject({ code: 'unavailable' });
    expect(fill(memory, 'account', 'a', 10 * megabyte).bodies).toBe(1);
    expect(memory.take(lease('account', 'b'), 60_000)).toBeUndefined();
    expect(memory.take(lease('receipt', 'b'), megabyte)).toBeUndefined();
  });

  test('never exceeds the limit, and is empty again after all leases are released', () => {
    const memory = createBodyMemory(options);
    const leases: BodyLease[] = [];
    const next = createNumbers();
    for (let step = 0; step < 2_000; step += 1) {
      const one = lease(kinds[next(kinds.length)] ?? 'account', `owner${next(8)}`);
      leases.push(one);
      memory.take(one, 1 + next(10 ** (1 + next(7))));
      memory.take(one, 1 + next(10 ** (1 + next(7))));
      if (next(2) === 0) memory.release(leases[next(leases.length)] ?? one);
      expect(addUp(leases)).toBeLessThanOrEqual(options.maxBytes);
    }
    // Twice, because a call may release twice.
    for (const each of [...leases, ...leases]) memory.release(each);
    const bodies = [1, 2, 3, 4, 5].map(
      (id) => fill(memory, 'account', `a${id}`, 9 * megabyte).bodies,
    );
    expect(bodies).toEqual([1, 1, 1, 1, 0]);
  });
});

const kinds = ['account', 'receipt', 'network'] as const;

function addUp(leases: BodyLease[]): number {
  return leases.reduce((sum, { reserved, shared }) => sum + reserved + shared, 0);
}

/** Pseudo-random numbers below a bound, the same in each run. */
function createNumbers(): (bound: number) => number {
  let state = 1;
  return (bound) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
}
