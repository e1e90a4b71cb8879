import { AppError } from '@belfry/shared';

/** Up to this size a body may use the reserve of small ones, and is parsed at once. */
export const smallBodyBytes = 64 * 1024;
/** Charged for a call beside its body, so that many small bodies that never end count too. */
const callBytes = 4_096;

/**
 * Whose memory a body takes. `account`: its calls with an API key. `receipt`: its providers' receipts, which have a reserve
 * of their own. `network`: what is read before it is known who calls, so that a stranger cannot use up an account's share.
 */
export type BodyKind = 'account' | 'receipt' | 'network';

/** The memory that one call has taken. */
export type BodyLease = { kind: BodyKind; owner: string; reserved: number; shared: number };

/** The memory of request bodies, from their first byte to the end of their call. */
export type BodyMemory = {
  /** Takes so many further bytes, or returns why they are refused. */
  take(lease: BodyLease, bytes: number): AppError | undefined;
  /** Gives back all that the lease has; again, nothing. */
  giveBack(lease: BodyLease): void;
};

/** The memory is divided by this. One part each is reserved for small bodies, for receipts and for networks. */
const memoryShares = 8;
/** A reserve is divided by this. One owner has one part at most. */
const reserveShares = 8;
const reserveCount = 3;

/** Largest bodies that fit into the whole. With fewer, a body of one account takes what another one needs for its own. */
export const minBodiesInMemory = 4;

/**
 * Five eighths are for any body of accounts and receipts. One account has at most an eighth of everything there, or one
 * body of the greatest size, so that it takes nothing from another one.
 */
export function createBodyMemory(options: { maxBytes: number; maxBodyBytes: number }): BodyMemory {
  const { maxBytes, maxBodyBytes } = options;
  const part = Math.floor(maxBytes / memoryShares);
  const share = Math.max(part, maxBodyBytes + callBytes);
  const common = createPool(maxBytes - reserveCount * part, share);
  const createReserve = () => createPool(part, Math.floor(part / reserveShares) + callBytes);
  const reserves: Record<BodyKind, Pool> = {
    account: createReserve(),
    receipt: createReserve(),
    network: createReserve(),
  };

  /** Undefined where it is taken. A stranger has the reserve only, a large body of an account not even that. */
  function takeFrom(lease: BodyLease, bytes: number): Refusal | undefined {
    const isReservable = lease.kind !== 'account' || isSmall(lease, bytes);
    const refusal = isReservable
      ? takeShare(reserves[lease.kind], lease, 'reserved', bytes)
      : 'full';
    const isOver = refusal === undefined || lease.kind === 'network';
    return isOver ? refusal : takeShare(common, lease, 'shared', bytes);
  }

  return {
    take(lease, bodyBytes) {
      const isFirst = lease.reserved + lease.shared === 0;
      const refusal = takeFrom(lease, isFirst ? bodyBytes + callBytes : bodyBytes);
      return refusal && toError(refusal, lease.kind);
    },

    giveBack(lease) {
      if (lease.reserved > 0) reserves[lease.kind].giveBack(lease.owner, lease.reserved);
      if (lease.shared > 0) common.giveBack(lease.owner, lease.shared);
      lease.reserved = 0;
      lease.shared = 0;
    },
  };
}

function isSmall({ reserved, shared }: BodyLease, bytes: number): boolean {
  return reserved + shared + bytes <= smallBodyBytes + callBytes;
}

function takeShare(
  pool: Pool,
  lease: BodyLease,
  part: 'reserved' | 'shared',
  bytes: number,
): Refusal | undefined {
  const refusal = pool.take(lease.owner, bytes);
  if (!refusal) lease[part] += bytes;
  return refusal;
}

type Refusal = 'share_full' | 'full';

type Pool = {
  take(owner: string, bytes: number): Refusal | undefined;
  giveBack(owner: string, bytes: number): void;
};

function createPool(maxBytes: number, maxOfOwner: number): Pool {
  const bytesByOwner = new Map<string, number>();
  let totalBytes = 0;
  return {
    take(owner, bytes) {
      const own = (bytesByOwner.get(owner) ?? 0) + bytes;
      if (own > maxOfOwner) return 'share_full';
      if (totalBytes + bytes > maxBytes) return 'full';
      bytesByOwner.set(owner, own);
      totalBytes += bytes;
      return undefined;
    },
    giveBack(owner, bytes) {
      const left = (bytesByOwner.get(owner) ?? 0) - bytes;
      if (left > 0) bytesByOwner.set(owner, left);
      else bytesByOwner.delete(owner);
      totalBytes -= bytes;
    },
  };
}

function toError(refusal: Refusal, kind: BodyKind): AppError {
  if (refusal === 'full') {
    return new AppError('unavailable', 'too many bodies are in memory: try again');
  }
  const owner = kind === 'network' ? 'this network' : 'the account';
  return new AppError(
    'rate_limited',
    `${owner} has as many bodies under way as fit into its share of the memory: send fewer at once`,
  );
}
