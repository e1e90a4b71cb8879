/**
 * An idempotency key is stored with one character for each byte of its header (Latin-1), so no byte is lost. Most clients
 * write text as UTF-8: people read the key as UTF-8 where its bytes are that, else as Latin-1.
 */
export function toReadableKey(storedKey: string): string {
  if (!/[^\0-\x7f]/.test(storedKey)) return storedKey;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(storedKey, 'latin1'),
    );
  } catch {
    return storedKey;
  }
}

/** The stored keys that people read as this text: its bytes in UTF-8, and in Latin-1. */
export function listStoredKeys(text: string): string[] {
  const stored = Buffer.from(text, 'utf8').toString('latin1');
  return stored === text ? [text] : [stored, text];
}
