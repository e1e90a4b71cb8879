import { renameSync, writeFileSync } from 'node:fs';

const ownerOnly = 0o600;

/** Complete or not at all, and for nobody else to read. */
export function writePrivately(file: string, text: string): void {
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, text, { mode: ownerOnly });
  renameSync(unfinished, file);
}
