import { findAccount, isRoot, refuseOthersFiles } from './account';
import { closeTree, type Ids } from './private-files';
import type { Step } from './progress';
import { run } from './run';

/** Whom a server runs as. PostgreSQL refuses to be root, and Redis has no need to be. */
export type Identity = {
  /** A command that changes the identity and then becomes the one behind it. */
  prefix: string[];
  ids?: Ids;
  /** Who must own the server's files; undefined when they are ours already. */
  owner: Ids | undefined;
};

const root: Ids = { uid: 0, gid: 0 };
const probeTimeoutMs = 10_000;

/** In order of least power. */
function listIdentities(account: Ids) {
  const { uid, gid } = account;
  return {
    account: { prefix: [], ids: account, owner: account },
    /** Root under another number in a user namespace: enters the folders of root that are closed to everybody else. */
    namespace: {
      prefix: ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`],
      owner: root,
    },
    /** The account, with root's right to enter any folder. */
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
  /** Its whole environment, where it is not this process's. */
  env?: Record<string, string>;
};

/**
 * Finds an identity that can run `program` and write to `folder`, gives it the folder and closes that to everybody else.
 * For root, `allowed` are tried in their order; undefined when a folder above is closed to all of them.
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
