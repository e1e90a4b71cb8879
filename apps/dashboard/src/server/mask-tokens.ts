const masked = '***';

/** A recipient as it may be shown: its Slack token is nobody's to read. A token of a device is an address, as a number is. */
export function maskTokens(user: unknown): Record<string, unknown> | null {
  if (typeof user !== 'object' || user === null) return null;
  const maskedUser: Record<string, unknown> = { ...user };
  const slack = maskedUser['slack'];
  if (typeof slack === 'object' && slack !== null && 'access_token' in slack) {
    maskedUser['slack'] = { ...slack, access_token: masked };
  }
  return maskedUser;
}
