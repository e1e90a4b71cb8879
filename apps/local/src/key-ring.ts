import { existsSync, readFileSync } from 'node:fs';
import { writePrivately } from '@belfry/embedded';
import { createKeyRing } from '@belfry/runtime';

/** The key ring of this checkout. The first start creates it; later starts need it to open what it sealed. */
export function findKeyRing(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const ring = createKeyRing();
  writePrivately(file, `${ring}\n`);
  return ring;
}
