import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';

const ownerOnly = 0o600;
const maxFileBytes = 20_000_000;

export type LogFile = {
  append(chunk: Buffer | string): void;
  /** A writable stream to the same file, for a logger. */
  stream: Writable;
  close(): void;
};

/** A program's log. A long one is renamed to `<file>.old`, so that the log takes at most twice the limit. */
export function openLogFile(file: string): LogFile {
  let descriptor = openSync(file, 'a', ownerOnly);
  let bytes = statSync(file).size;

  function append(chunk: Buffer | string): void {
    if (bytes > maxFileBytes) {
      closeSync(descriptor);
      renameSync(file, `${file}.old`);
      descriptor = openSync(file, 'a', ownerOnly);
      bytes = 0;
    }
    bytes += writeSync(descriptor, typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  }

  const stream = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      append(chunk);
      callback();
    },
  });
  return { append, stream, close: () => closeSync(descriptor) };
}
