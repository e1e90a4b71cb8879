export type NewIdempotencyKey = {
  hash: Buffer;
  fingerprint: Buffer;
  ringKeyId: string;
  status: number;
};

export type KeyOfAccount = { accountId: string; hash: Buffer };

export type KeyOutcome =
  | { isWritten: true }
  /** The account used the key before; `winner` is the stored response. */
  | { isWritten: false; winner: StoredKey };

export type StoredKey = {
  fingerprint: Buffer;
  ringKeyId: string;
  requestId: string;
  status: number;
  body: string | undefined;
};

/** The lookup name of an account's key. */
export function toKeyName({ accountId, hash }: KeyOfAccount): string {
  return `${accountId}:${hash.toString('base64')}`;
}
