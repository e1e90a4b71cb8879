import { listOldKeys, type OldKey, rotateKeys } from '@belfry/pipeline/operate';
import { type Command, exitCodes } from './cli';
import { withSealedDatabase } from './open-database';

/** `belfry keys rotate` */
export const keysCommand: Command = {
  usage: 'keys rotate',
  summary: 'seal everything anew with the first key of BELFRY_KEYS',
  async run({ env, args, out, err }) {
    if (args.length !== 1 || args[0] !== 'rotate') {
      err('Usage: belfry keys rotate');
      return exitCodes.usage;
    }
    return withSealedDatabase(env, async ({ database, secrets }) => {
      for (const { name, resealed } of await rotateKeys(database.delivery, secrets)) {
        out(`${String(resealed).padStart(8)}  ${name}`);
      }
      out(`Everything is sealed with the key "${secrets.keyId}".`);
      for (const old of await listOldKeys(database.delivery, secrets)) out(explain(old));
      return exitCodes.ok;
    });
  },
};

function explain({ keyId, neededUntil }: OldKey): string {
  if (neededUntil) {
    return (
      `The key "${keyId}" is still needed for replays until ${neededUntil.toISOString()}: ` +
      'leave it on the ring, and run this command again then.'
    );
  }
  return (
    `The key "${keyId}" can be taken off BELFRY_KEYS, once no process seals with it any more. ` +
    'Addresses for reports that were given to a provider under it stop working then.'
  );
}
