import { createConfiguration } from '@belfry/database';
import { type Command, exitCodes } from './cli';
import { withSealedDatabase } from './open-database';

const maxNameCharacters = 128;

/** `belfry account create NAME` */
export const accountCommand: Command = {
  usage: 'account create NAME',
  summary: 'make an account with an API key and an app in sandbox delivery',
  async run({ env, args, out, err }) {
    const [verb, given, ...rest] = args;
    const name = given?.trim() ?? '';
    if (verb !== 'create' || name === '' || rest.length > 0) {
      err('Usage: belfry account create NAME (in quotes where it has blanks)');
      return exitCodes.usage;
    }
    if (name.length > maxNameCharacters) {
      err(`The name has more than ${maxNameCharacters} characters.`);
      return exitCodes.usage;
    }
    const made = await withSealedDatabase(env, async ({ database, secrets }) => {
      const configuration = createConfiguration(database.prisma, secrets);
      const { id: accountId } = await configuration.createAccount(name);
      const { key } = await configuration.createApiKey(accountId);
      const app = await configuration.createApp({ accountId, name, delivery: 'sandbox' });
      return { accountId, key, appId: app.id };
    });
    out(`account  ${made.accountId}`);
    out(`app      ${made.appId}  (sandbox: nothing leaves Belfry)`);
    out(`API key  ${made.key}`);
    out('The key is shown this once. Keep it where programs keep their secrets.');
    return exitCodes.done;
  },
};
