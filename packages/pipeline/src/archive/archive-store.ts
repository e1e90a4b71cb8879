/** Keeps complete files. */
export type ArchiveStore = {
  /** Resolves once the file is durable under this name. It may move the file. `hash` is its SHA-256 in hex. */
  put(file: string, name: string, hash: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Explains a failure of `put`. */
  explain(error: unknown): Explanation;
};

/** A failure and what to do, without data. `isFinal`: it fails until somebody changes something. */
export type Explanation = { reason: string; isFinal: boolean };

/** Undefined for errors that are not of files. */
export function explainFileError(error: unknown, folder: string): Explanation | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  const explain = (problem: string, isFinal: boolean): Explanation => ({
    reason: `${folder} ${problem}`,
    isFinal,
  });
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return explain('is not a folder. Create or mount it.', true);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return explain(
        `cannot be written (${code}). Give the user of the worker write access.`,
        true,
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return explain('is full. Free some space.', false);
    case 'EIO':
      return explain('has a read or write error (EIO). Check the disk.', false);
    default:
      return undefined;
  }
}
