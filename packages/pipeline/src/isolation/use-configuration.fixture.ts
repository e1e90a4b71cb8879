import { createAppEvents, inTransaction } from '@belfry/database';
import { emptyBase } from '../configure/compare-files';
import { pullFiles } from '../configure/pull-files';
import { pushFiles } from '../configure/push-files';
import type { World } from './world.fixture';

/** Reads the configuration as files, and compares it with them. Other fixtures write what a push writes. */
export async function useConfiguration({ database, ...world }: World): Promise<void> {
  // The integrations of this world have no sealed credentials.
  const secrets = { ...world.secrets, open: () => '{}' };
  const app = { accountId: world.accountId, appId: world.appId, variables: {}, overwrite: false };
  const deps = { pool: database.accepting, secrets, findUrlProblem: () => undefined };
  const pulled = await pullFiles(deps, { ...app, files: new Map(), base: emptyBase });
  if (pulled.state !== 'pulled') throw new Error('An empty folder has no conflicts');
  // Providers of this world do not belong to their channels, so most files could not be pushed.
  const files = new Map(
    ['app.json', 'categories.json'].map((file) => [file, pulled.writes.get(file) ?? '']),
  );
  const push = { ...app, files, base: pulled.base, remove: false, isDryRun: true };
  await pushFiles(deps, { ...push, parts: ['categories'] });
  await publishOverDraft({ database, ...world });
  await failInPart(database.accepting);
}

/** A push over a draft. */
async function publishOverDraft({ database, actor, appId, event }: PublishDeps): Promise<void> {
  const events = createAppEvents(database.accepting);
  const row = await events.find(appId, event.eventId);
  if (!row?.live) throw new Error('The event is not live');
  const { definition } = row.live;
  const version = { eventId: row.id, definition };
  await events.saveDraft(actor, appId, { ...version, basedOn: row.draftRevision });
  await events.publishDefinition(actor, appId, version);
}

type PublishDeps = Pick<World, 'database' | 'actor' | 'appId' | 'event'>;

/** A part of a transaction fails, and the transaction goes on. */
async function failInPart(pool: Parameters<typeof inTransaction>[0]): Promise<void> {
  await inTransaction(pool, async (client) => {
    const part = inTransaction(client, () => Promise.reject(new Error('The part failed')));
    await part.catch(() => undefined);
    await inTransaction(client, () => Promise.resolve());
  });
}
