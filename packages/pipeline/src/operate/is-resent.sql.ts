/** SQL subquery: the message that resent this one. The newer message replaces it in counts; this one keeps its state. */
export function resentBy(column: string, message: string): string {
  return `SELECT ${column} FROM message n WHERE n.request_id = ${message}.request_id AND n.item = ${message}.item
    AND n.channel = ${message}.channel AND n.resend_of = ${message}.id`;
}

/** SQL condition: the message was resent. */
export function isResent(message: string): string {
  return `EXISTS (${resentBy('1', message)})`;
}
