import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The version of Belfry, which all its packages share. */
export const version: string = readVersion();

function readVersion(): string {
  const file = path.resolve(__dirname, '..', 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
