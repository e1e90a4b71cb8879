const masked = '***';

/** Masks the Slack token of a recipient. Device tokens are addresses and stay visible. */
export function maskTokens(user: unknown): Record<string, unknown> | null {
  if (typeof user !== 'object' || user === null) return null;
  const maskedUser: Record<string, unknown> = { ...user };
  const slack = maskedUser['slack'];
  if (typeof slack === 'object' && slack !== null && 'access_token' in slack) {
    maskedUser['slack'] = { ...slack, access_token: masked };
  }
  return maskedUser;
}
