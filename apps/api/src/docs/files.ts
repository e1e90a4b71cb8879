import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { icon, pageHtml, pageScript, pageStyle } from './page';

export type DocsFile = {
  type: string;
  bytes: Buffer;
  compressed: Buffer;
  /** Changes with the bytes. */
  version: string;
};

export type DocsFiles = { page: DocsFile; assets: ReadonlyMap<string, DocsFile> };

/** Reads and compresses the files of the page: 2 MB, on the first request. */
export async function readDocsFiles(): Promise<DocsFiles> {
  const entries = await Promise.all(
    Object.entries(sources).map(
      async ([name, { type, read }]) => [name, await createDocsFile(type, await read())] as const,
    ),
  );
  const assets = new Map(entries);
  const versioned = (name: string) => `docs/${name}?v=${assets.get(name)?.version}`;
  return { page: await createDocsFile('text/html', Buffer.from(pageHtml(versioned))), assets };
}

const sources: Record<string, { type: string; read(): Buffer | Promise<Buffer> }> = {
  'swagger-ui-bundle.js': {
    type: 'text/javascript',
    read: () => readFile(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  },
  'swagger-ui.css': {
    type: 'text/css',
    read: () => readFile(require.resolve('swagger-ui-dist/swagger-ui.css')),
  },
  'page.js': { type: 'text/javascript', read: () => Buffer.from(pageScript) },
  'page.css': { type: 'text/css', read: () => Buffer.from(pageStyle) },
  'icon.svg': { type: 'image/svg+xml', read: () => Buffer.from(icon) },
};

const compress = promisify(gzip);
const versionCharacters = 16;

async function createDocsFile(type: string, bytes: Buffer): Promise<DocsFile> {
  return {
    type: `${type}; charset=utf-8`,
    bytes,
    compressed: await compress(bytes),
    version: hash('sha256', bytes, 'hex').slice(0, versionCharacters),
  };
}
