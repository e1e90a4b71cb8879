/** The addresses in a stored `user` and its user_id, the address of the call first. */
export function listRecipientNames(recipient: string | null): string[] {
  const user: unknown = recipient === null ? undefined : JSON.parse(recipient);
  const fields = toFields(user);
  const slack = toFields(fields.get('slack'));
  return [
    fields.get('email'),
    fields.get('mobile'),
    fields.get('whatsapp_mobile'),
    slack.get('channel_id'),
    slack.get('email'),
    fields.get('user_id'),
  ].filter((value): value is string => typeof value === 'string' && value !== '');
}

/** The address from the call, or the id of the stored user. */
export function describeRecipient(
  recipient: string | null,
  messages: readonly { target: string | null }[],
): string | null {
  return listRecipientNames(recipient)[0] ?? messages[0]?.target ?? null;
}

function toFields(value: unknown): Map<string, unknown> {
  return new Map(Object.entries(typeof value === 'object' && value !== null ? value : {}));
}
