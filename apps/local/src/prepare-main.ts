import { createHash, randomBytes } from 'node:crypto';
import {
  createAccess,
  createDatabase,
  type Database,
  describeOlderDatabase,
  MigrationError,
  migrate,
  OlderDatabaseError,
  seedDemo,
} from '@belfry/database';
import { createLogger, createSecrets, SecretError } from '@belfry/runtime';
import type { Order, Orders, Reply } from './preparation';
import { StartError } from './start-error';

const setUpTokenBytes = 32;
const setUpLinkLivesMs = 30 * 60_000;
const databasePoolSize = 2;
/** The demo is written while all processes start and use the whole processor. */
const connectTimeoutMs = 10_000;

let opened: Database | undefined;

function open(url: string): Database {
  const log = createLogger({ level: 'error', process: 'local' });
  opened ??= createDatabase({ url, poolSize: databasePoolSize, connectTimeoutMs, log });
  return opened;
}

const steps: { [Name in keyof Orders]: (input: Orders[Name]['input']) => Promise<unknown> } = {
  async migrate({ databaseUrl, migrations, reset }) {
    try {
      return await migrate(databaseUrl, migrations);
    } catch (cause) {
      if (cause instanceof OlderDatabaseError) {
        const text = describeOlderDatabase(cause.migration, reset);
        throw new StartError(text, { cause, isConfiguration: true });
      }
      if (cause instanceof MigrationError) throw new StartError(cause.message, { cause });
      throw cause;
    }
  },
  async seed({ databaseUrl, keyRing, keysFile }) {
    try {
      return await seedDemo({ pool: open(databaseUrl).lookUps, secrets: createSecrets(keyRing) });
    } catch (cause) {
      if (!(cause instanceof SecretError)) throw cause;
      throw new StartError(
        `The current keys cannot open the secrets in this database (${cause.message}). ` +
          `Set BELFRY_KEYS to the key ring that sealed them, or write that ring to ${keysFile}.`,
        { cause },
      );
    }
  },
  async createSetUpToken({ databaseUrl, accountId }) {
    const access = createAccess(open(databaseUrl).lookUps);
    if (await access.hasOperator()) return undefined;
    const token = randomBytes(setUpTokenBytes).toString('base64url');
    const tokenHash = createHash('sha256').update(token).digest();
    const link = { kind: 'setup', role: 'owner', livesMs: setUpLinkLivesMs } as const;
    await access.createInvitation({ ...link, tokenHash, accountId });
    return token;
  },
};

async function run<Name extends keyof Orders>({ name, input }: Order<Name>): Promise<Reply> {
  try {
    return { result: await steps[name](input) };
  } catch (error) {
    const isForUser = error instanceof StartError;
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const isConfiguration = isForUser && error.isConfiguration;
    return {
      error: { message: isForUser ? message : (stack ?? message), isForUser, isConfiguration },
    };
  }
}

process.on('message', (order: Order<keyof Orders>) => {
  void run(order).then((reply) => process.send?.(reply));
});
// The supervisor closed the preparation, or was killed.
process.once('disconnect', () => process.exit());
