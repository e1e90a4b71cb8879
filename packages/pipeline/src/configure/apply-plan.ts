import { isDeepStrictEqual } from 'node:util';
import {
  type ActorInApp,
  type AppCategories,
  createAccountApps,
  createAppEvents,
  createAppIntegrations,
  createCategories,
  type Queryable,
  sealCredentials,
} from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import { applyAlerts } from './apply-alerts';
import { applyWebhooks } from './apply-webhooks';
import { toDefinition } from './check-references';
import { type FileChange, listChangedEvents } from './compare-files';
import type { Configuration } from './configuration';
import { fileNames, getEventFile, getIntegrationFile } from './format-files';
import type { PreparedIntegration } from './prepare-integrations';
import type { StoredApp } from './read-app';
import { FileProblems } from './read-file';
import type { ResolvedWebhook } from './resolve-references';

/** Everything that a push writes. */
export type PushPlan = {
  stored: StoredApp;
  wanted: Configuration;
  /** By file. */
  changes: ReadonlyMap<string, FileChange>;
  integrations: PreparedIntegration[];
  webhooks: ResolvedWebhook[];
};

export type ApplyDeps = { actor: ActorInApp; secrets: Secrets };

/** Writes a checked plan by the functions that the dashboard calls, each with its audit entry, in the caller's transaction. */
export async function applyPlan(client: Queryable, deps: ApplyDeps, plan: PushPlan): Promise<void> {
  const { changes, wanted } = plan;
  const { actor } = deps;
  if (changes.has(fileNames.app)) {
    await createAccountApps(client).change(actor, actor.appId, wanted.settings);
  }
  if (changes.has(fileNames.categories)) await applyCategories(client, deps, plan);
  for (const integration of plan.integrations) await storeIntegration(client, deps, integration);
  const ids = await listIds(client, actor.appId);
  await publishEvents(client, deps, { ...plan, ids });
  if (changes.has(fileNames.alerts)) await applyAlerts(client, actor, { ...plan, ids });
  if (changes.has(fileNames.webhooks)) await applyWebhooks(client, deps, plan);
  await removeMissing(client, deps, plan);
}

/** The ID of each integration by its name. */
async function listIds(client: Queryable, appId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await createAppIntegrations(client).list(appId);
  return new Map(rows.map(({ id, name }) => [name, id]));
}

async function applyCategories(
  client: Queryable,
  { actor }: ApplyDeps,
  { stored, wanted }: PushPlan,
): Promise<void> {
  const categories = createCategories(client);
  for (const { slug, texts } of wanted.categories) {
    const row = stored.categories.find((each) => each.slug === slug);
    if (!row) {
      const created = await categories.create(actor, actor.appId, { slug, texts });
      if (created !== 'created') {
        const problem = 'has too many categories together with those that it removes';
        throw new FileProblems([{ file: fileNames.categories, problem }]);
      }
    } else if (!isDeepStrictEqual(row.texts, texts)) {
      await categories.change(actor, actor.appId, { slug, texts });
    }
  }
  const slugs = wanted.categories.map(({ slug }) => slug);
  await sortCategories(categories, actor, slugs);
}

/** Positions stay if they already give this order. */
async function sortCategories(
  categories: AppCategories,
  actor: ActorInApp,
  slugs: readonly string[],
): Promise<void> {
  const rows = await categories.list(actor.appId);
  const kept = rows.filter(({ slug }) => slugs.includes(slug));
  if (kept.every(({ slug }, index) => slug === slugs[index])) return;
  const positions = new Map(kept.map(({ slug, position }) => [slug, position]));
  for (const [index, slug] of slugs.entries()) {
    if (positions.get(slug) === index + 1) continue;
    await categories.change(actor, actor.appId, { slug, position: index + 1 });
  }
}

async function storeIntegration(
  client: Queryable,
  { actor, secrets }: ApplyDeps,
  { row, name, channel, provider, settings, credentials, entered }: PreparedIntegration,
): Promise<void> {
  const integrations = createAppIntegrations(client);
  const file = getIntegrationFile(name);
  if (!row) {
    const seal = (id: string) => sealCredentials(id, credentials, secrets);
    const integration = { name, channel, provider, settings, seal, entered };
    const id = await integrations.create(actor, actor.appId, integration);
    if (id !== undefined) return;
    const problem =
      'has a name that differs from another one only in case, or a provider that an app can have only once';
    throw new FileProblems([{ file, problem }]);
  }
  const result = await integrations.change(actor, actor.appId, {
    ...{ id: row.id, updatedAt: row.updatedAt, name, settings, entered, isUntested: true },
    credentials: sealCredentials(row.id, credentials, secrets),
  });
  if (result !== 'changed') throw new Error(`The integration ${name} was not changed: ${result}`);
}

async function publishEvents(
  client: Queryable,
  { actor }: ApplyDeps,
  { stored, wanted, changes, ids }: PushPlan & { ids: ReadonlyMap<string, string> },
): Promise<void> {
  const events = createAppEvents(client);
  for (const event of listChangedEvents(wanted, changes.values())) {
    const { name } = event;
    const row = stored.events.find((each) => each.name === name);
    const eventId = row?.id ?? (await events.create(actor, actor.appId, name));
    const definition = toDefinition(event, (integration) => ids.get(integration) ?? '');
    const version =
      eventId && (await events.publishDefinition(actor, actor.appId, { eventId, definition }));
    if (!version) throw new Error(`The event ${name} could not be published`);
  }
}

/** Removes events first: they name integrations and categories. */
async function removeMissing(client: Queryable, deps: ApplyDeps, plan: PushPlan): Promise<void> {
  const { stored, changes } = plan;
  const { actor, secrets } = deps;
  const isRemoved = (file: string) => changes.get(file)?.kind === 'remove';
  const events = stored.events.filter(({ name }) => isRemoved(getEventFile(name)));
  for (const { id } of events) await createAppEvents(client).remove(actor, actor.appId, id);
  const integrations = stored.integrations.filter(({ name }) =>
    isRemoved(getIntegrationFile(name)),
  );
  for (const { id } of integrations) {
    const emptied = sealCredentials(id, {}, secrets);
    await createAppIntegrations(client).remove(actor, actor.appId, { id, emptied });
  }
  if (changes.has(fileNames.categories)) await removeCategories(client, deps, plan);
}

async function removeCategories(
  client: Queryable,
  { actor }: ApplyDeps,
  { stored, wanted }: PushPlan,
): Promise<void> {
  const slugs = wanted.categories.map(({ slug }) => slug);
  for (const { slug } of stored.categories.filter((row) => !slugs.includes(row.slug))) {
    const removal = await createCategories(client).remove(actor, actor.appId, slug);
    if (removal === 'removed' || removal === 'not_found') continue;
    const problem = `lacks the category ${slug}, which the live version or the draft of these events has: ${removal.usedBy.join(', ')}`;
    throw new FileProblems([{ file: fileNames.categories, problem }]);
  }
}
