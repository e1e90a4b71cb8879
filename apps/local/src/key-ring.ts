import { existsSync, readFileSync } from 'node:fs';
import { writePrivately } from '@belfry/embedded';
import { createKeyRing } from '@belfry/runtime';

/** The key ring of this checkout, made at the first start: what it has sealed stays readable at every later one. */
export function findKeyRing(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const ring = createKeyRing();
  writePrivately(file, `${ring}\n`);
  return ring;
}
