import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { toCsvLine } from './csv';
import { Refusal, refuseFor } from './problem';
import type { SignedInCall } from './route';

export type CsvFile<Page> = {
  /** Name of the file. */
  name: string;
  columns: readonly string[];
  listPages(): AsyncGenerator<Page>;
  toLines(page: Page): string;
};

/** Sends files that are read page by page: one per operator at once, each within 60 s by default. */
export function createCsvExports({ maxExportMs = 60_000 }: { maxExportMs?: number | undefined }) {
  const startExport = createExportLimit();
  return async function sendCsv<Page>(
    { res, session }: Pick<SignedInCall, 'res' | 'session'>,
    { name, columns, listPages, toLines }: CsvFile<Page>,
  ): Promise<void> {
    const end = startExport(session.operator.id);
    try {
      const pages = listPages();
      // The first page is read before the headers leave, so that its error is answered as one.
      const first = await pages.next();
      await send(res, { name, maxExportMs }, async function* () {
        yield toCsvLine(columns);
        if (!first.done) yield toLines(first.value);
        for await (const page of pages) yield toLines(page);
      });
    } finally {
      end();
    }
  };
}

/** Exports at once. Each may read a million rows. */
const maxExports = 4;

/** Allows one export per operator at once. */
function createExportLimit() {
  const operatorIds = new Set<string>();
  /** Returns a function that ends the export. */
  return function startExport(operatorId: string): () => void {
    if (operatorIds.has(operatorId)) {
      throw new Refusal('unavailable', 'Another export of yours is running. Wait until it ends.');
    }
    if (operatorIds.size >= maxExports) {
      throw refuseFor(10, 'unavailable', `${maxExports} operators are exporting files.`);
    }
    operatorIds.add(operatorId);
    return () => void operatorIds.delete(operatorId);
  };
}

/** Reads the next page only when the browser has taken the last one. A late or failed export ends the connection. */
async function send(
  res: Response,
  { name, maxExportMs }: { name: string; maxExportMs: number },
  listLines: () => AsyncIterable<string>,
): Promise<void> {
  res.set({
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': 'no-store',
  });
  const signal = AbortSignal.timeout(maxExportMs);
  try {
    await pipeline(Readable.from(listLines(), { highWaterMark: 1 }), res, { signal });
  } catch (error) {
    // The operator cancelled the download.
    if (isClosed(error)) return;
    if (!signal.aborted) throw error;
    const seconds = maxExportMs / 1_000;
    throw new Refusal('unavailable', `The export was cut off after ${seconds} seconds.`);
  }
}

/** The browser closed the connection, during the export or before it began. */
const closeCodes: unknown[] = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE'];

const isClosed = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error && closeCodes.includes(error.code);
