import { chownSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { run } from './run';

/** Whom a server runs as. PostgreSQL refuses to be root, and Redis has no need to be. */
export type Identity = {
  /** A command that changes the identity and then becomes the one behind it. */
  prefix: string[];
  ids?: { uid: number; gid: number };
  /** Who must own the server's files; undefined when they are ours already. */
  owner: { uid: number; gid: number } | undefined;
};

const nobody = { uid: 65534, gid: 65534 };
const root = { uid: 0, gid: 0 };
const probeTimeoutMs = 10_000;

/** In order of least power. */
const identitiesOfRoot = {
  nobody: { prefix: [], ids: nobody, owner: nobody },
  /** Root under another number in a user namespace: enters the folders of root that are closed to everybody else. */
  namespace: {
    prefix: ['unshare', '--user', '--map-user=1000', '--map-group=1000'],
    owner: root,
  },
  /** Nobody, with root's right to enter any folder. */
  capable: {
    prefix: [
      'setpriv',
      `--reuid=${nobody.uid}`,
      `--regid=${nobody.gid}`,
      '--clear-groups',
      '--inh-caps=+dac_override',
      '--ambient-caps=+dac_override',
    ],
    owner: nobody,
  },
} satisfies Record<string, Identity>;

export type RootIdentity = keyof typeof identitiesOfRoot;

export type Program = {
  command: string;
  /** Its whole environment, where it is not this process's. */
  env?: Record<string, string>;
};

/**
 * Finds an identity that can run `program` and write to `folder`, and gives it the folder. For root, `allowed` are
 * tried in their order; undefined when a folder above is closed to all of them.
 */
export async function takeFolder(
  folder: string,
  program: Program,
  allowed: RootIdentity[],
): Promise<Identity | undefined> {
  if (process.getuid?.() !== 0) return takeOwnFolder(folder);
  for (const name of allowed) {
    const identity: Identity = identitiesOfRoot[name];
    if (identity.owner) giveTo(folder, identity.owner);
    if (await canUse(identity, folder, program)) return identity;
  }
  return undefined;
}

function takeOwnFolder(folder: string): Identity {
  const { uid } = lstatSync(folder);
  const me = process.getuid?.();
  if (me !== undefined && uid !== me) {
    throw new Error(
      `${folder} belongs to user ${uid}, perhaps because it was made as root. ` +
        `Remove it, or give it back: sudo chown -R ${me} ${folder}`,
    );
  }
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

/** Links are given away as links: what they point to stays with its owner. */
function giveTo(place: string, owner: { uid: number; gid: number }): void {
  const facts = lstatSync(place);
  if (facts.isSymbolicLink()) return;
  if (facts.uid !== owner.uid || facts.gid !== owner.gid) chownSync(place, owner.uid, owner.gid);
  if (!facts.isDirectory()) return;
  for (const name of readdirSync(place)) giveTo(path.join(place, name), owner);
}
