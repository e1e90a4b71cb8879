import { findAccount, isRoot, refuseOthersFiles } from './account';
import { closeTree, type Ids } from './private-files';
import type { Step } from './progress';
import { type RunAs, run } from './run';

/** The user that a server runs as. PostgreSQL refuses to run as root, and Redis need not. */
export type Identity = RunAs & {
  /** The required owner of the server's files; undefined if they are ours already. */
  owner: Ids | undefined;
};

const root: Ids = { uid: 0, gid: 0 };
const probeTimeoutMs = 10_000;

/** Least privileged first. */
function listIdentities(account: Ids) {
  const { uid, gid } = account;
  return {
    account: { prefix: [], ids: account, owner: account },
    /** Root as another uid in a user namespace: can enter root's private folders. */
    namespace: {
      prefix: ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`],
      owner: root,
    },
    /** The account, with root's capability to enter any folder. */
    capable: {
      prefix: [
        'setpriv',
        `--reuid=${uid}`,
        `--regid=${gid}`,
        '--clear-groups',
        '--inh-caps=+dac_override',
        '--ambient-caps=+dac_override',
      ],
      owner: account,
    },
  } satisfies Record<string, Identity>;
}

export type RootIdentity = keyof ReturnType<typeof listIdentities>;

export type Program = {
  command: string;
  /** The complete environment, if it is not this process's. */
  env?: Record<string, string>;
};

/**
 * Finds an identity that can run `program` and write to `folder`, makes it the owner of the folder, and removes everyone
 * else's access. For root, tries `allowed` in order. Returns undefined if none of them can enter the parent folders.
 */
export async function takeFolder(
  folder: string,
  program: Program,
  allowedIdentities: RootIdentity[],
  step: Step,
): Promise<Identity | undefined> {
  if (!isRoot()) return takeOwnFolder(folder);
  const identities = listIdentities(await findAccount(step));
  for (const name of allowedIdentities) {
    const identity: Identity = identities[name];
    closeTree(folder, identity.owner);
    if (await canUse(identity, folder, program)) return identity;
  }
  return undefined;
}

function takeOwnFolder(folder: string): Identity {
  refuseOthersFiles(folder);
  closeTree(folder);
  return { prefix: [], owner: undefined };
}

async function canUse(as: Identity, folder: string, { command, env }: Program): Promise<boolean> {
  const probe = 'test -w "$0" && cd "$0" && exec "$1" --version';
  const { code } = await run('/bin/sh', ['-c', probe, folder, command], {
    timeoutMs: probeTimeoutMs,
    as,
    ...(env ? { env } : {}),
  });
  return code === 0;
}
