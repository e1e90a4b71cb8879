/**
 * An idempotency key is stored as Latin-1, one character per byte of the header, so no byte is lost. Most clients send
 * UTF-8, so the key is shown as UTF-8 when its bytes are valid UTF-8, else as Latin-1.
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

/** The stored keys that are shown as this text: encoded in UTF-8 and in Latin-1. */
export function listStoredKeys(text: string): string[] {
  const stored = Buffer.from(text, 'utf8').toString('latin1');
  return stored === text ? [text] : [stored, text];
}
