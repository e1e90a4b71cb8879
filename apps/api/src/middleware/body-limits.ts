import { AppError } from '@belfry/shared';

/** Bodies up to this size may use the reserve for small bodies and are parsed in one step. */
export const smallBodyBytes = 64 * 1024;
/** Charged for each call besides its body, so that many small unfinished bodies count too. */
const callBytes = 4_096;

/**
 * Which share a body is charged to. `account`: calls with an API key. `receipt`: receipts of the account's providers, with
 * a separate reserve. `network`: bodies read before authentication, so that a stranger cannot use up an account's share.
 */
export type BodyKind = 'account' | 'receipt' | 'network';

/** The memory held by one call. */
export type BodyLease = { kind: BodyKind; owner: string; reserved: number; shared: number };

/** Limits the memory of request bodies, from the first byte to the end of the call. */
export type BodyMemory = {
  /** Takes more bytes for the lease, or returns the refusal. */
  take(lease: BodyLease, bytes: number): AppError | undefined;
  /** Releases all bytes of the lease. A second call does nothing. */
  release(lease: BodyLease): void;
};

/** The memory has 8 parts. One part each is reserved for small bodies, for receipts and for networks. */
const memoryShares = 8;
/** One owner may use at most an eighth of a reserve. */
const reserveShares = 8;
const reserveCount = 3;

/** How many of the largest bodies must fit. With fewer, one account's body could block another account's. */
export const minBodiesInMemory = 4;

/**
 * Five eighths of the memory are shared by accounts and receipts. There one account may use an eighth of the total, or one
 * body of the maximum size, so that it cannot block others.
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

  /** Returns undefined on success. Networks use only their reserve. Large bodies of accounts cannot use the reserve. */
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

    release(lease) {
      reserves[lease.kind].release(lease.owner, lease.reserved);
      common.release(lease.owner, lease.shared);
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
  release(owner: string, bytes: number): void;
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
    release(owner, bytes) {
      const left = (bytesByOwner.get(owner) ?? 0) - bytes;
      if (left > 0) bytesByOwner.set(owner, left);
      else bytesByOwner.delete(owner);
      totalBytes -= bytes;
    },
  };
}

function toError(refusal: Refusal, kind: BodyKind): AppError {
  if (refusal === 'full') {
    return new AppError('unavailable', 'too many request bodies are in memory: try again');
  }
  const owner = kind === 'network' ? 'this network' : 'the account';
  return new AppError(
    'rate_limited',
    `${owner} has too many request bodies in flight for its share of memory: send fewer at once`,
  );
}

export type BodyPaceOptions = {
  /** Limit for a whole body. */
  timeoutMs: number;
  /** A body that brings less than `minBytes` in a window is ended. */
  windowMs: number;
  minBytes: number;
};

/** A body that is being received. */
export type ArrivingBody = {
  endsAtMs: number;
  windowEndsAtMs: number;
  bytesInWindow: number;
  onLate(): void;
};

export type BodyPace = {
  /** Calls `onLate` once, unless the body is removed before. */
  add(onLate: () => void): ArrivingBody;
  remove(body: ArrivingBody): void;
};

const checksPerWindow = 5;

/** Ends bodies that arrive too slowly, because they hold memory. One timer checks all of them. */
export function createBodyPace({ timeoutMs, windowMs, minBytes }: BodyPaceOptions): BodyPace {
  const everyMs = windowMs / checksPerWindow;
  const arriving = new Set<ArrivingBody>();
  let timer: NodeJS.Timeout | undefined;
  let dueAtMs = 0;

  function scheduleCheck(nowMs: number): void {
    dueAtMs = nowMs + everyMs;
    // The open connections keep the process alive.
    timer = setTimeout(checkAll, everyMs).unref();
  }

  function checkAll(): void {
    const nowMs = performance.now();
    timer = undefined;
    // If the event loop was blocked, first read what has arrived meanwhile.
    const wasBlocked = nowMs - dueAtMs > everyMs;
    if (!wasBlocked) for (const body of arriving) checkBody(body, nowMs);
    if (arriving.size > 0) scheduleCheck(nowMs);
  }

  function checkBody(body: ArrivingBody, nowMs: number): void {
    const isWindowOver = nowMs >= body.windowEndsAtMs;
    if (nowMs >= body.endsAtMs || (isWindowOver && body.bytesInWindow < minBytes)) {
      arriving.delete(body);
      body.onLate();
    } else if (isWindowOver) {
      body.windowEndsAtMs = nowMs + windowMs;
      body.bytesInWindow = 0;
    }
  }

  return {
    add(onLate) {
      const nowMs = performance.now();
      const body = {
        endsAtMs: nowMs + timeoutMs,
        windowEndsAtMs: nowMs + windowMs,
        bytesInWindow: 0,
        onLate,
      };
      arriving.add(body);
      if (!timer) scheduleCheck(nowMs);
      return body;
    },
    remove(body) {
      arriving.delete(body);
    },
  };
}
