import { createAccount } from '@belfry/database';
import { type AccountStorage, findAccountStorage, setStorageLimit } from '@belfry/pipeline/operate';
import { type Command, type CommandCall, type ExitCode, exitCodes } from './cli';
import { describeStorage } from './examine-storage';
import { parseBytes } from './format-bytes';
import { withDatabase, withSealedDatabase } from './open-database';

const maxNameCharacters = 128;
/** Of a bigint, and beyond every disk. */
const maxQuotaBytes = 1e18;

const createUsage = 'Usage: belfry account create NAME (in quotes where it has blanks)';
const quotaUsage =
  'Usage: belfry account quota NAME_OR_ID [SIZE], where SIZE is such as 500MB, 1.5GB or 2TB, `none` for no limit, or `default` for STORAGE_LIMIT_MB_PER_ACCOUNT';

/** `belfry account create NAME` and `belfry account quota NAME [SIZE]` */
export const accountCommand: Command = {
  usage: 'account create NAME | account quota NAME [SIZE]',
  summary: 'make an account with an API key and a sandbox app; show or set its storage limit',
  async run(call) {
    const [verb, ...args] = call.args;
    if (verb === 'create') return create(call, args);
    if (verb === 'quota') return quota(call, args);
    call.err(createUsage);
    call.err(quotaUsage);
    return exitCodes.usage;
  },
};

async function create({ env, out, err }: CommandCall, args: string[]): Promise<ExitCode> {
  const [first, ...rest] = args;
  const name = first?.trim() ?? '';
  if (name === '' || rest.length > 0) {
    err(createUsage);
    return exitCodes.usage;
  }
  if (name.length > maxNameCharacters) {
    err(`The name has more than ${maxNameCharacters} characters.`);
    return exitCodes.usage;
  }
  const account = await withSealedDatabase(env, ({ database: { lookUps }, secrets }) =>
    createAccount(lookUps, secrets, { name, app: { name, delivery: 'sandbox' } }),
  );
  out(`account  ${account.accountId}`);
  out(`app      ${account.appId}  (sandbox: nothing leaves Belfry)`);
  out(`API key  ${account.apiKey}`);
  out('The key is shown this once. Keep it where programs keep their secrets.');
  return exitCodes.ok;
}

async function quota(call: CommandCall, args: string[]): Promise<ExitCode> {
  const [nameOrId = '', size, ...rest] = args.map((arg) => arg.trim());
  const limit = size === undefined ? undefined : parseLimit(size);
  if (nameOrId === '' || rest.length > 0 || (size !== undefined && limit === undefined)) {
    call.err(quotaUsage);
    return exitCodes.usage;
  }
  return withDatabase(call.env, async (database) => {
    const find = () => findAccountStorage(database.accepting, defaultLimit(call), nameOrId);
    const account = theOnly(await find(), nameOrId, call);
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

/** Bytes; 0 is no limit, and null that of the settings. */
type Limit = number | null;

/** Undefined for what is no size. */
function parseLimit(size: string): Limit | undefined {
  if (size === 'none') return 0;
  if (size === 'default') return null;
  const bytes = parseBytes(size);
  return bytes !== undefined && bytes <= maxQuotaBytes ? bytes : undefined;
}

function theOnly(
  accounts: AccountStorage[],
  nameOrId: string,
  { err }: CommandCall,
): AccountStorage | undefined {
  if (accounts.length === 1) return accounts[0];
  err(
    accounts.length === 0
      ? `No account has the name or the id ${nameOrId}.`
      : `${accounts.length} accounts have this name. Use the id: ${accounts.map(({ id }) => id).join(', ')}.`,
  );
  return undefined;
}
