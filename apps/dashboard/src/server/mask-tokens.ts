const masked = '***';

/** A recipient as it may be shown: its sealed Slack token, and tokens of devices, are nobody's to read. */
export function maskTokens(user: unknown): Record<string, unknown> | null {
  if (typeof user !== 'object' || user === null) return null;
  const shown: Record<string, unknown> = { ...user };
  const slack = shown['slack'];
  if (typeof slack === 'object' && slack !== null && 'access_token' in slack) {
    shown['slack'] = { ...slack, access_token: masked };
  }
  return shown;
}
