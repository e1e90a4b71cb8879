import { setImmediate } from 'node:timers/promises';
import { type Awaitable, createYieldWhenDue } from '@belfry/runtime';
import { AppError, type Json, parseJson, parseJsonInSteps, withoutNulls } from '@belfry/shared';
import type { Request, Response } from 'express';
import type { RunInSequence } from '../account-queue';
import { bodyTooLarge, declaredBytes } from './before-body';
import {
  type BodyKind,
  type BodyLease,
  type BodyMemory,
  type BodyPace,
  smallBodyBytes,
} from './body-limits';

export type ReadBodyOptions = {
  maxBodyBytes: number;
  kind: BodyKind;
  memory: BodyMemory;
  pace: BodyPace;
};

/** `owner` is the account or network that the body is charged to. */
export type ReadBody = (req: Request, res: Response, owner: string) => Promise<Buffer>;

/** Reads a body. Its memory is charged before allocation and released when the call ends. */
export function createReadBody(options: ReadBodyOptions): ReadBody {
  const { maxBodyBytes, kind, memory, pace } = options;

  return function readBody(req, res, owner) {
    const declaredLength = declaredBytes(req.headers);
    if (declaredLength > maxBodyBytes) return Promise.reject(bodyTooLarge(maxBodyBytes));
    const lease: BodyLease = { kind, owner, reserved: 0, shared: 0 };
    const take = (bytes: number) => memory.take(lease, bytes);
    const release = () => memory.release(lease);
    const refusal = declaredLength > 0 ? take(declaredLength) : undefined;
    if (refusal) return Promise.reject(refusal);
    res.on('close', release);
    if (isContinueExpected(req)) res.writeContinue();
    return collect(req, {
      pace,
      release,
      sink: createSink({ declaredLength, maxBodyBytes, take }),
    });
  };
}

function isContinueExpected({ headers: { expect } }: Request): boolean {
  return expect !== undefined && /^100-continue$/i.test(expect);
}

type Sink = {
  add(chunk: Buffer): AppError | undefined;
  body(): Buffer;
};

type SinkOptions = {
  /** 0 for a chunked body. */
  declaredLength: number;
  maxBodyBytes: number;
  take(bytes: number): AppError | undefined;
};

const noBytes = Buffer.alloc(0);
const firstBytes = 4_096;

/** Copies chunks into one buffer. A list of one-byte chunks would take 100 times their size. */
function createSink({ declaredLength, maxBodyBytes, take }: SinkOptions): Sink {
  let buffer: Buffer = noBytes;
  let bytes = 0;

  function growBuffer(neededBytes: number): AppError | undefined {
    if (neededBytes > maxBodyBytes) return bodyTooLarge(maxBodyBytes);
    const doubled = Math.max(2 * buffer.length, neededBytes, firstBytes);
    const size = declaredLength || Math.min(doubled, maxBodyBytes);
    const refusal = declaredLength ? undefined : take(size - buffer.length);
    if (refusal) return refusal;
    const larger = Buffer.allocUnsafeSlow(size);
    buffer.copy(larger, 0, 0, bytes);
    buffer = larger;
    return undefined;
  }

  return {
    add(chunk) {
      const end = bytes + chunk.length;
      if (chunk.length === declaredLength) {
        // Most bodies arrive in one chunk.
        buffer = chunk;
      } else {
        const refusal = end > buffer.length ? growBuffer(end) : undefined;
        if (refusal) return refusal;
        chunk.copy(buffer, bytes);
      }
      bytes = end;
      return undefined;
    },
    body: () => (bytes === buffer.length ? buffer : buffer.subarray(0, bytes)),
  };
}

type CollectOptions = {
  pace: BodyPace;
  sink: Sink;
  /** Called when the body is refused, before the response. */
  release(): void;
};

function collect(req: Request, { pace, sink, release }: CollectOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const progress = pace.add(() => end(tooSlow()));
    let isOver = false;
    // The listeners stay after the body is read, because removing them costs as much as adding them.
    req.on('data', add).on('end', end).on('close', leave);
    if (req.destroyed) leave();

    function add(chunk: Buffer): void {
      if (isOver) return;
      progress.bytesInWindow += chunk.length;
      const refusal = sink.add(chunk);
      if (refusal) end(refusal);
    }

    function leave(): void {
      if (!isOver) end(new AppError('bad_request', 'the body ended early'));
    }

    function end(refusal?: AppError): void {
      if (isOver) return;
      isOver = true;
      pace.remove(progress);
      if (!refusal) {
        resolve(sink.body());
        return;
      }
      release();
      reject(refusal);
    }
  });
}

function tooSlow(): AppError {
  return new AppError('request_timeout', 'the body did not arrive in time');
}

/** Parses a body and drops null members; see withoutNulls. */
export type ReadJson = (bytes: Buffer, accountId: string) => Awaitable<Json>;

const yieldEveryMs = 1;

export function isLarge(bytes: Buffer): boolean {
  return bytes.length > smallBodyBytes;
}

/** Parses large bodies in steps and one at a time, because the steps of several bodies would add up to a long block. */
export function createReadJson(runInSequence: RunInSequence): ReadJson {
  return function readJson(bytes, accountId) {
    if (!isLarge(bytes)) return withoutNulls(parseJson(bytes));
    return runInSequence(accountId, () => readInSteps(bytes));
  };
}

async function readInSteps(bytes: Buffer): Promise<Json> {
  // Receiving and copying the last bytes took time already.
  await setImmediate();
  const yieldWhenDue = createYieldWhenDue(yieldEveryMs);
  const body = await parseJsonInSteps(bytes, { isBatch: false, yieldWhenDue });
  await yieldWhenDue();
  const compactBody = withoutNulls(body);
  await yieldWhenDue();
  return compactBody;
}
