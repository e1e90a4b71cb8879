import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Of this program, as its package says. */
export const version: string = readVersion();

function readVersion(): string {
  const file = path.resolve(__dirname, '..', '..', 'package.json');
  // Our own package.json, which has a version.
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
