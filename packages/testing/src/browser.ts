import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Database } from '@belfry/database';

/**
 * Undefined on a machine without a browser. The headless shell has no browser window: it took 72 s of processor time for
 * `dashboard-log.e2e`, and Chromium 102 s.
 */
export const chromiumPath = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((place) => place !== undefined && existsSync(place));

export const chromiumArgs = ['--no-sandbox', '--disable-dev-shm-usage'];

const linkLivesMs = 1_800_000;

/** The token of a one-time link for the first operator of an account, as `npm start` prints it. */
export async function createSetUpToken(
  { prisma }: Pick<Database, 'prisma'>,
  accountId: string,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const tokenHash = createHash('sha256').update(token).digest();
  const expiresAt = new Date(Date.now() + linkLivesMs);
  await prisma.invitation.create({
    data: { tokenHash, accountId, kind: 'setup', role: 'owner', expiresAt },
  });
  return token;
}
