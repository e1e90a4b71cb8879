/** What sent the message of an alias again, as a subquery: the newer message stands in for it, and it keeps its own state. */
export function resentBy(column: string, message: string): string {
  return `SELECT ${column} FROM message n WHERE n.request_id = ${message}.request_id AND n.item = ${message}.item
    AND n.channel = ${message}.channel AND n.resend_of = ${message}.id`;
}

/** Whether a message was sent again, as a condition on its alias. */
export function isResent(message: string): string {
  return `EXISTS (${resentBy('1', message)})`;
}
