import { createTimeouts, type Timeouts } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { Request, Response } from 'express';
import { bodyTooLarge } from './declared-body';

export type ReadBodyOptions = {
  maxBodyBytes: number;
  bodyTimeoutMs: number;
  /** What all bodies together may take, whichever route reads them. */
  room: BodyRoom;
};

/** What bodies take of the memory, from their first byte to the end of their call. */
export type BodyRoom = { take(bytes: number): boolean; giveBack(bytes: number): void };

export function createBodyRoom(maxBytes: number): BodyRoom {
  let takenBytes = 0;
  return {
    take(bytes) {
      if (takenBytes + bytes > maxBytes) return false;
      takenBytes += bytes;
      return true;
    },
    giveBack(bytes) {
      takenBytes -= bytes;
    },
  };
}

export type ReadBody = (req: Request, res: Response) => Promise<Buffer>;

export function createReadBody(options: ReadBodyOptions): ReadBody {
  const { maxBodyBytes, bodyTimeoutMs, room } = options;
  const timeouts = createTimeouts(bodyTimeoutMs);

  return function readBody(req, res) {
    if (isContinueExpected(req)) res.writeContinue();
    let bytes = 0;
    res.on('close', () => room.giveBack(bytes));
    return collect(req, timeouts, (chunk) => {
      if (bytes + chunk.length > maxBodyBytes) return bodyTooLarge(maxBodyBytes);
      if (!room.take(chunk.length)) return tooManyBodies();
      bytes += chunk.length;
      return undefined;
    });
  };
}

function isContinueExpected({ headers: { expect } }: Request): boolean {
  return expect !== undefined && /^100-continue$/i.test(expect);
}

function collect(
  req: Request,
  timeouts: Timeouts,
  refuse: (chunk: Buffer) => AppError | undefined,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const timeout = timeouts.add(() =>
      end(new AppError('request_timeout', 'the body did not arrive in time')),
    );
    let isOver = false;
    // They stay when the body is read: taking them away costs as much as they did.
    req.on('data', take).on('end', end).on('close', leave);
    if (req.destroyed) leave();

    function take(chunk: Buffer): void {
      if (isOver) return;
      const refusal = refuse(chunk);
      if (refusal) end(refusal);
      else chunks.push(chunk);
    }

    function leave(): void {
      if (!isOver) end(new AppError('bad_request', 'the body ended early'));
    }

    function end(refusal?: AppError): void {
      if (isOver) return;
      isOver = true;
      timeouts.remove(timeout);
      if (refusal) reject(refusal);
      else resolve(wholeOf(chunks));
    }
  });
}

function wholeOf(chunks: Buffer[]): Buffer {
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks);
}

function tooManyBodies(): AppError {
  return new AppError('unavailable', 'too many bodies are in memory: try again');
}
