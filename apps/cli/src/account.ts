import { createAccount } from '@belfry/database';
import { type AccountStorage, findAccountStorage, setStorageLimit } from '@belfry/pipeline/operate';
import { type Command, type CommandCall, type ExitCode, exitCodes, UsageError } from './cli';
import { describeStorage } from './examine-storage';
import { parseBytes } from './format-bytes';
import { withDatabase, withSealedDatabase } from './open-database';

const maxNameCharacters = 128;
/** Fits a bigint and is larger than any disk. */
const maxQuotaBytes = 1e18;

/** `belfry account create NAME` and `belfry account quota ACCOUNT [SIZE]` */
export const accountCommand: Command = {
  help: {
    usage: ['account create NAME', 'account quota ACCOUNT [SIZE]'],
    summary:
      'Create an account with an API key and a sandbox app, or show or set its storage limit',
    arguments: {
      NAME: `Name of the new account, at most ${maxNameCharacters} characters. Quote it if it has spaces.`,
      ACCOUNT: 'Name or ID of an account.',
      SIZE: 'Such as 500MB, 1.5GB or 2TB; `none` for no limit; `default` for STORAGE_LIMIT_MB_PER_ACCOUNT.',
    },
    failure: 'No account, or more than one, has this name or ID; or the database failed.',
    example: 'account create "Web shop"',
  },
  async run(call) {
    const [verb, ...args] = call.args;
    if (verb === 'create') return create(call, args);
    if (verb === 'quota') return quota(call, args);
    throw new UsageError('Enter `create` or `quota` after `account`.');
  },
};

async function create({ env, out }: CommandCall, args: string[]): Promise<ExitCode> {
  const [first, ...rest] = args;
  const name = first?.trim() ?? '';
  if (name === '') throw new UsageError('Enter a name for the account.');
  if (rest.length > 0) throw new UsageError('Enter one name. Quote it if it has spaces.');
  if (name.length > maxNameCharacters) {
    throw new UsageError(
      `NAME must have at most ${maxNameCharacters} characters (got ${name.length}).`,
    );
  }
  const account = await withSealedDatabase(env, ({ database: { lookUps }, secrets }) =>
    createAccount(lookUps, secrets, { name, app: { name, delivery: 'sandbox' } }),
  );
  out(`account  ${account.accountId}`);
  out(`app      ${account.appId}  (sandbox: messages are captured, not delivered)`);
  out(`API key  ${account.apiKey}`);
  out('Store the API key in your secret manager. This command shows it only once.');
  return exitCodes.ok;
}

async function quota(call: CommandCall, args: string[]): Promise<ExitCode> {
  const [nameOrId = '', size, ...rest] = args.map((arg) => arg.trim());
  if (nameOrId === '') throw new UsageError('Enter the name or ID of an account.');
  if (rest.length > 0) throw new UsageError('Enter one account and one size.');
  const limit = size === undefined ? undefined : parseLimit(size);
  return withDatabase(call.env, async (database) => {
    const find = () => findAccountStorage(database.accepting, defaultLimit(call), nameOrId);
    const account = requireOne(await find(), nameOrId, call);
    if (!account) return exitCodes.failed;
    if (limit !== undefined) await setStorageLimit(database.accepting, account.id, limit);
    for (const each of (await find()).filter(({ id }) => id === account.id)) {
      call.out(describeStorage(each));
    }
    return exitCodes.ok;
  });
}

function defaultLimit({ env }: CommandCall) {
  return { defaultLimitMb: env.STORAGE_LIMIT_MB_PER_ACCOUNT };
}

/** Bytes; 0 means no limit, and null means STORAGE_LIMIT_MB_PER_ACCOUNT. */
type Limit = number | null;

function parseLimit(size: string): Limit {
  if (size === 'none') return 0;
  if (size === 'default') return null;
  const bytes = parseBytes(size);
  if (bytes !== undefined && bytes <= maxQuotaBytes) return bytes;
  throw new UsageError(
    `"${size}" is not a valid size. Enter a size such as 500MB, or \`none\` or \`default\`.`,
  );
}

function requireOne(
  accounts: AccountStorage[],
  nameOrId: string,
  { err }: CommandCall,
): AccountStorage | undefined {
  if (accounts.length === 1) return accounts[0];
  err(
    accounts.length === 0
      ? `No account has the name or ID "${nameOrId}".`
      : `${accounts.length} accounts have this name. Use an ID: ${accounts.map(({ id }) => id).join(', ')}.`,
  );
  return undefined;
}
