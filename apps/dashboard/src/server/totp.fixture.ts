import { Secret, TOTP } from 'otpauth';
import { password, type StoredDashboard } from './stored-dashboard.fixture';

export const stepMs = 30_000;

/** The code that an authenticator app shows. */
export function createCode(secret: string, timestamp = Date.now()): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp });
}

/** Adds an authenticator app to the sign-in of the caller, with the code of now. */
export async function addTotp(
  call: StoredDashboard['call'],
): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { secret } = (await call('post', 'totp', { password })).body;
  const { status, body } = await call('post', 'totp/confirm', { code: createCode(secret) });
  expect([status, body.error]).toEqual([200, undefined]);
  return { secret, recoveryCodes: body.recoveryCodes };
}
