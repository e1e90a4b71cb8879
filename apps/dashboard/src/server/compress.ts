import compression from 'compression';
import type { RequestHandler } from 'express';

/** A smaller answer fits into one packet anyway. */
const minBytes = 512;

/**
 * Compresses the page, its files and JSON answers with Brotli or gzip. If an attacker chooses one part of a compressed
 * answer and can count its bytes, the length reveals a secret in another part (BREACH). So an answer with a secret is
 * not compressed:
 *
 * - Answers to other methods than GET. Only those contain keys and link tokens, and most are small.
 * - GET routes with `hasSecret` in the contract: integrations have the secret URL of their receipts; the timeline and a
 *   capture have codes and links beside texts of other people.
 *
 * `no-transform` excludes the latter and the event stream, whose rows must leave at once.
 */
export function createCompress(): RequestHandler {
  return compression({
    threshold: minBytes,
    filter: (req, res) => req.method === 'GET' && compression.filter(req, res),
  });
}
