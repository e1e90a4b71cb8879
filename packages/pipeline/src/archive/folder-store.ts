import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type ArchiveStore, explainFileError } from './archive-store';

/** Keeps files in a folder, which must exist: if it were created here, a file system that is not mounted would go unnoticed. */
export function createFolderStore(folder: string): ArchiveStore {
  return {
    async put(file, name) {
      const target = path.join(folder, name);
      await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
      await rename(file, target);
      // Without this, a power failure could undo the new names.
      for (let at = path.dirname(target); at.startsWith(folder); at = path.dirname(at)) {
        await syncFolder(at);
      }
    },
    remove: (name) => rm(path.join(folder, name), { force: true }),
    explain: (error) =>
      explainFileError(error, folder) ?? {
        reason: `${folder} failed (${(error as NodeJS.ErrnoException).code}).`,
        isFinal: false,
      },
  };
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
