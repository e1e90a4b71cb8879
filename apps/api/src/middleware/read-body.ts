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

  return async function readBody(req, res) {
    if (/^100-continue$/i.test(req.headers.expect ?? '')) res.writeContinue();
    let bytes = 0;
    res.once('close', () => room.giveBack(bytes));
    return collect(req, bodyTimeoutMs, (chunk) => {
      if (bytes + chunk.length > maxBodyBytes) return bodyTooLarge(maxBodyBytes);
      if (!room.take(chunk.length)) return tooManyBodies();
      bytes += chunk.length;
      return undefined;
    });
  };
}

function collect(
  req: Request,
  timeoutMs: number,
  refuse: (chunk: Buffer) => AppError | undefined,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const timer = setTimeout(
      () => end(new AppError('request_timeout', 'the body did not arrive in time')),
      timeoutMs,
    );
    req.on('data', take).once('end', end).once('close', leave);
    if (req.destroyed) leave();

    function take(chunk: Buffer): void {
      const refusal = refuse(chunk);
      if (refusal) end(refusal);
      else chunks.push(chunk);
    }

    function leave(): void {
      end(new AppError('bad_request', 'the body ended early'));
    }

    function end(refusal?: AppError): void {
      clearTimeout(timer);
      req.off('data', take).off('end', end).off('close', leave);
      if (refusal) reject(refusal);
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    }
  });
}

function tooManyBodies(): AppError {
  return new AppError('unavailable', 'too many bodies are in memory: try again');
}
