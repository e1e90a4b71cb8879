import { listOldKeys, type OldKey, rotateKeys } from '@belfry/pipeline/operate';
import { type Command, exitCodes, UsageError } from './cli';
import { withSealedDatabase } from './open-database';

/** `belfry keys rotate` */
export const keysCommand: Command = {
  help: {
    usage: ['keys rotate'],
    summary: 'Re-encrypt all sealed data with the first key of BELFRY_KEYS',
    arguments: {},
    success: 'All sealed data uses the first key.',
    failure: 'A key is missing from BELFRY_KEYS, or the database failed.',
    example: 'keys rotate',
  },
  async run({ env, args, out }) {
    if (args.length !== 1 || args[0] !== 'rotate') {
      throw new UsageError('Enter `rotate` after `keys`.');
    }
    return withSealedDatabase(env, async ({ database, secrets }) => {
      for (const { name, resealed } of await rotateKeys(database.delivery, secrets)) {
        out(`${String(resealed).padStart(8)}  ${name}`);
      }
      out(`All sealed data uses the key "${secrets.keyId}".`);
      for (const old of await listOldKeys(database.delivery, secrets)) out(explain(old));
      return exitCodes.ok;
    });
  },
};

function explain({ keyId, neededUntil }: OldKey): string {
  if (neededUntil) {
    return (
      `The key "${keyId}" is needed for idempotent replays until ${neededUntil.toISOString()}. ` +
      'Keep it in BELFRY_KEYS and run this command again after that time.'
    );
  }
  return (
    `You can remove the key "${keyId}" from BELFRY_KEYS once every process uses the new first key. ` +
    'Webhook URLs created with the removed key then stop working.'
  );
}
