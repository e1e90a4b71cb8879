/**
 * SQL of the key under which an address is suppressed, found and erased. Mail servers take no difference between `Ana@` and
 * `ana@`, although RFC 5321 would let them: a mail goes out as the address was written, and is one mailbox's. Every other
 * address is its own key.
 */
export function addressKey(channel: string, address: string): string {
  return `CASE WHEN ${channel} = 'email' THEN lower(${address}) ELSE ${address} END`;
}

/** SQL of whether the message `alias` went to an address, in words that the index of addresses is found by. */
export function wentTo(alias: string, address: string): string {
  return `lower(${alias}.target) = lower(${address}) AND (${alias}.channel = 'email' OR ${alias}.target = ${address})`;
}
