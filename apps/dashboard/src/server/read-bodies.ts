import { parseJson } from '@belfry/shared';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { type Refusal, refuseFor } from './problem';
import { listRoutes, splitRoute } from './route';
import type { Sessions } from './sessions';

const maxBodyBytes = 1024 * 1024;
/** Limit without a session: addresses, passwords and link tokens. */
const maxStrangerBodyBytes = 16 * 1024;
/** Paths below /api whose bodies are read without a session. None has parameters. */
const strangerPaths: ReadonlySet<string> = new Set(
  listRoutes()
    .filter(([, { access, body }]) => access === 'anyone' && body !== undefined)
    .map(([route]) => splitRoute(route)[1].replace(/^\/api/, '')),
);
/** Bodies in memory at once, from first byte to answer. */
const maxBodies = 128;
const maxBodiesOfAccount = 16;

export type BodyReaders = {
  /** Bodies below /api are JSON; hostile JSON is refused as in the gateway. */
  readJson: RequestHandler[];
  readForm: RequestHandler[];
};

/** Reads bodies. Large bodies need a session and are limited per account, to bound memory. */
export function createBodyReaders({ sessions }: { sessions: Pick<Sessions, 'get'> }): BodyReaders {
  const bodies = new Map<string, number>();
  let total = 0;

  /** Reads the session again after the body, because it may have ended in the meantime. */
  async function admit(req: Request, res: Response): Promise<void> {
    const { account } = await sessions.get(req);
    const own = bodies.get(account.id) ?? 0;
    if (own >= maxBodiesOfAccount || total >= maxBodies) throw tooManyBodies();
    bodies.set(account.id, own + 1);
    total += 1;
    res.once('close', () => {
      const left = (bodies.get(account.id) ?? 1) - 1;
      if (left === 0) bodies.delete(account.id);
      else bodies.set(account.id, left);
      total -= 1;
    });
  }

  const admitLarge: RequestHandler = async function admitLarge(req, res, next) {
    const isStranger = strangerPaths.has(req.path);
    if (hasBody(req) && !isStranger) await admit(req, res);
    next();
  };

  const [readSmall, readLarge] = [createReader(maxStrangerBodyBytes), createReader(maxBodyBytes)];
  const read: RequestHandler = function readBody(req, res, next) {
    (strangerPaths.has(req.path) ? readSmall : readLarge)(req, res, next);
  };
  const form = express.urlencoded({ extended: false, limit: maxBodyBytes, inflate: false });
  return { readJson: [admitLarge, read, parse], readForm: [admitLarge, form] };
}

function createReader(limit: number): RequestHandler {
  return express.raw({ limit, type: 'application/json', inflate: false });
}

const parse: RequestHandler = function parseBody(req, _res, next) {
  const bytes: unknown = req.body;
  if (Buffer.isBuffer(bytes)) req.body = bytes.length > 0 ? parseJson(bytes) : undefined;
  next();
};

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function tooManyBodies(): Refusal {
  return refuseFor(2, 'unavailable', 'Too many requests of this account are in progress.');
}
