/**
 * SQL for the key by which an address is suppressed, found and erased. RFC 5321 lets `Ana@` and `ana@` be two mailboxes, but
 * mail servers treat them as one. So the key of an e-mail address is lower case; mail is sent to the address as written.
 * Any other address is its own key.
 */
export function addressKey(channel: string, address: string): string {
  return `CASE WHEN ${channel} = 'email' THEN lower(${address}) ELSE ${address} END`;
}

/** SQL for whether the message `alias` went to an address. Written so that PostgreSQL uses the index of addresses. */
export function wentTo(alias: string, address: string): string {
  return `lower(${alias}.target) = lower(${address}) AND (${alias}.channel = 'email' OR ${alias}.target = ${address})`;
}
