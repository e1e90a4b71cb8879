import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { endPostgres } from './postgres-lock';
import { readElsewhere } from './postgres-place';
import { endRedis } from './redis';

const maxDepth = 3;

/** Kills every server whose data folder is in `parent`, if its data is no longer needed. */
export async function stopLeftovers(parent: string, depth = maxDepth): Promise<void> {
  if (!existsSync(parent) || existsSync(path.join(parent, 'PG_VERSION'))) return;
  for (const entry of readdirSync(parent, { withFileTypes: true })) {
    const folder = path.join(parent, entry.name);
    if (!entry.isDirectory()) continue;
    await endPostgres(path.join(readElsewhere(folder) ?? folder, 'data'));
    await endRedis(folder);
    if (depth > 1) await stopLeftovers(folder, depth - 1);
  }
}
