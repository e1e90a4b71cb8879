import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Ids } from './private-files';
import { createSteps, type OnProgress, type Step } from './progress';
import { run } from './run';
import { StoreError } from './store';

/** Only our servers run as this account. `nobody` would not do, because other services use it too. */
const name = 'belfry-stores';
const createTimeoutMs = 30_000;
const ownerOnly = 0o700;
const groupMayPass = 0o710;

export const isRoot = () => process.getuid?.() === 0;

/** The account that servers run as if this process is root; the first start creates it. */
export async function findAccount(step: Step): Promise<Ids> {
  const account = readAccount();
  if (account) return account;
  const options = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'];
  const { stderr } = await step(`creating the system account ${name}`, () =>
    run('useradd', [...options, '--shell', '/usr/sbin/nologin', name], {
      timeoutMs: createTimeoutMs,
    }),
  );
  const newAccount = readAccount();
  if (newAccount) return newAccount;
  throw new StoreError(
    `Belfry was started as root, so its servers run as the system account ${name}. useradd could not create it: ${stderr}. ` +
      'Start Belfry as an ordinary user, or set DATABASE_URL and REDIS_URL.',
  );
}

function readAccount(): Ids | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':');
  return fields && { uid: Number(fields[2]), gid: Number(fields[3]) };
}

export type CloseOptions = {
  /** Whether the folders of our servers are in it. */
  hasServers?: boolean;
  onProgress?: OnProgress;
};

/**
 * Creates a folder that only we may enter. If we are root, the servers' account may pass through it to its own folders:
 * it is the only member of the group with this right.
 */
export async function closeFolder(
  folder: string,
  { hasServers = true, onProgress }: CloseOptions = {},
): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: ownerOnly });
  const isPassed = hasServers && isRoot();
  if (isPassed) {
    const { gid } = await findAccount(createSteps('stores', onProgress));
    chownSync(folder, 0, gid);
  }
  refuseOthersFiles(folder);
  chmodSync(folder, isPassed ? groupMayPass : ownerOnly);
}

/** A start as root leaves files that another user cannot access: reported once, not per file. */
export function refuseOthersFiles(folder: string): void {
  const me = process.getuid?.();
  if (me === undefined || isRoot()) return;
  const isForeign = (place: string) =>
    (lstatSync(place, { throwIfNoEntry: false })?.uid ?? me) !== me;
  const listContent = () => readdirSync(folder).map((name) => path.join(folder, name));
  const foreign = isForeign(folder) ? folder : listContent().find(isForeign);
  if (foreign === undefined) return;
  throw new StoreError(
    `${foreign} belongs to another user. Perhaps Belfry was started as root. ` +
      `To start over: sudo rm -rf ${folder}. To keep its data: sudo chown -R ${me} ${folder}`,
  );
}
