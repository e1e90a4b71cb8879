import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Logger, parseArchiveUrl, type StartCheck } from '@belfry/runtime';
import { type ArchiveStore, type Explanation, explainFileError } from './archive-store';
import { createFolderStore } from './folder-store';

class ArchiveError extends Error {
  readonly explanation: Explanation;

  constructor(explanation: Explanation) {
    super(explanation.reason);
    this.name = 'ArchiveError';
    this.explanation = explanation;
  }
}

export type Archive = {
  /**
   * Stores the texts as one gzip file; resolves once the store confirmed it. The name gets its hash, so that a
   * repeated write replaces a file only if it has the same content.
   */
  write(name: string, texts: AsyncIterable<string>): Promise<void>;
  /** Stores and removes an empty file. */
  check: StartCheck;
};

type ArchiveSettings = Record<'ARCHIVE_URL' | 'ARCHIVE_S3_ENDPOINT' | 'ARCHIVE_S3_REGION', string>;

/** Undefined if the archive is off. */
export function createArchive(
  env: ArchiveSettings,
  log: Pick<Logger, 'warn'>,
): Archive | undefined {
  if (env.ARCHIVE_URL === '') return undefined;
  const { store, folder } = createStore(env);

  /** Rejects with ArchiveError if the file could not be written or stored. */
  async function putTexts(texts: Texts, getName: (hash: string) => string): Promise<void> {
    const put = (file: string, hash: string) =>
      store.put(file, getName(hash), hash).catch((error: unknown) => {
        throw new ArchiveError(store.explain(error));
      });
    try {
      await withFile(folder, texts, put);
    } catch (error) {
      const explanation = explainFileError(error, folder);
      throw explanation ? new ArchiveError(explanation) : error;
    }
  }

  return {
    async write(name, texts) {
      try {
        await putTexts(texts, (hash) => `${name}-${hash.slice(0, hashCharacters)}.ndjson.gz`);
      } catch (error) {
        if (error instanceof ArchiveError) log.warn('archive.failed', { reason: error.message });
        throw error;
      }
    },
    check: {
      name: 'archive',
      async read() {
        try {
          await putTexts([], () => checkName);
          // Without the right to remove, the next check replaces the file.
          await store.remove(checkName).catch(() => undefined);
          return { refusals: [], warnings: [] };
        } catch (error) {
          if (!(error instanceof ArchiveError && error.explanation.isFinal)) throw error;
          return { refusals: [`ARCHIVE_URL: ${error.message}`], warnings: [] };
        }
      },
    },
  };
}

type Texts = AsyncIterable<string> | string[];

const checkName = '.belfry-check';

/** The folder has the files while they are written. It must be that of the store if the store moves them. */
function createStore(env: ArchiveSettings): { store: ArchiveStore; folder: string } {
  const place = parseArchiveUrl(env.ARCHIVE_URL);
  if ('problem' in place) throw new Error(`ARCHIVE_URL ${place.problem}`);
  if (place.kind === 'folder') {
    return { store: createFolderStore(place.folder), folder: place.folder };
  }
  const aws = { endpoint: env.ARCHIVE_S3_ENDPOINT, region: env.ARCHIVE_S3_REGION };
  // The SDK is large: loaded only here.
  const { createS3Store }: typeof import('./s3-store') = require('./s3-store');
  return { store: createS3Store({ ...place, ...aws }), folder: tmpdir() };
}

const partPrefix = '.belfry-archive-';
const hashCharacters = 16;
/** A process that writes for longer than this is dead. */
const leftoverMs = 60 * 60_000;

/** Writes a compressed file, passes it on with its hash, and removes it. */
async function withFile(
  folder: string,
  texts: Texts,
  use: (file: string, hash: string) => Promise<void>,
): Promise<void> {
  await removeLeftovers(folder);
  const file = path.join(folder, `${partPrefix}${randomUUID()}`);
  const hash = createHash('sha256');
  async function* hashEach(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  }
  try {
    const target = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(Readable.from(texts), createGzip(), hashEach, target);
    await use(file, hash.digest('hex'));
  } finally {
    await rm(file, { force: true });
  }
}

/** Removes what processes left that were killed while they wrote. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(partPrefix)) continue;
    const file = path.join(folder, name);
    const facts = await stat(file).catch(() => undefined);
    if (facts && Date.now() - facts.mtimeMs > leftoverMs) await rm(file, { force: true });
  }
}
