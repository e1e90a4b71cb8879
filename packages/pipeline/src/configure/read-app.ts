import { listMadeFields } from '@belfry/channels';
import {
  type AccountAppRow,
  type AlertRuleRow,
  type AppEventRow,
  type AppIntegrationRow,
  createAccountApps,
  createAlertRules,
  createAppEvents,
  createAppIntegrations,
  createCategories,
  createWebhookEndpoints,
  maxEventsListed,
  maxIntegrationsListed,
  openCredentials,
  type Queryable,
} from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import { completeDefinition, listAppSettings, type WebhookEndpoint } from '@belfry/shared';
import { isOn } from './apply-webhooks';
import { completeSettings, findProvider } from './check-integration';
import { type Digests, digestFiles } from './compare-files';
import {
  type Configuration,
  channels,
  type FileAlert,
  type FileAlertTarget,
  type FileEvent,
  type FileIntegration,
  type FileWebhook,
  isReference,
  type Variables,
} from './configuration';
import { formatFiles } from './format-files';
import { isFilled, keepEntries } from './merge-credentials';
import { keepReferences } from './resolve-references';
import { createNamer } from './variable-names';

/** An integration with its credentials in plain text. */
export type OpenIntegration = AppIntegrationRow & { open: Record<string, unknown> };

/** The stored configuration of an app. */
export type StoredApp = {
  app: AccountAppRow;
  categories: { slug: string; texts: FileCategoryTexts; position: number }[];
  integrations: OpenIntegration[];
  /** Also those without a live version, which have no files. */
  events: AppEventRow[];
  webhooks: WebhookEndpoint[];
  alerts: AlertRuleRow[];
};

type FileCategoryTexts = Configuration['categories'][number]['texts'];

export type AppAddress = { accountId: string; appId: string };

/** Reads all of an app. Throws if a list could be incomplete. */
export async function readStoredApp(
  client: Queryable,
  secrets: Secrets,
  { accountId, appId }: AppAddress,
): Promise<StoredApp> {
  const app = await createAccountApps(client).find(accountId, appId);
  if (!app) throw new Error(`No app has the ID ${appId}.`);
  const categories = await createCategories(client).list(appId);
  const integrations = await createAppIntegrations(client).list(appId);
  const events = await createAppEvents(client).list(appId);
  const webhooks = await createWebhookEndpoints({ pool: client, secrets }).list(appId);
  const alerts = await createAlertRules(client).list(appId);
  if (events.length >= maxEventsListed || integrations.length >= maxIntegrationsListed) {
    throw new Error(
      `Only apps with fewer than ${maxEventsListed} events and ${maxIntegrationsListed} integrations can be kept in files.`,
    );
  }
  const opened = integrations.map((row) => ({ ...row, open: openCredentials(row, secrets) }));
  return { app, categories, integrations: opened, events, webhooks, alerts };
}

/**
 * The configuration as files have it. References in `local` stay: those of credentials, and those whose variable has the
 * stored value.
 */
export function toConfiguration(
  stored: StoredApp,
  local: Configuration | undefined,
  variables: Variables,
): Configuration {
  const { app, categories, integrations, events, webhooks, alerts } = stored;
  const names = new Map(integrations.map(({ id, name }) => [id, name]));
  const settings = listAppSettings().flatMap(([key]) =>
    key === 'delivery' ? [] : [[key, app[key]]],
  );
  const nameVariable = createNamer(local);
  return {
    settings: Object.fromEntries(settings),
    categories: categories.map(({ slug, texts }) => ({ slug, texts })),
    integrations: integrations.map((row) => {
      const file = local?.integrations.find(({ name }) => name === row.name);
      return toFileIntegration(row, { file, variables, nameVariable });
    }),
    events: events.flatMap((row) => toFileEvent(row, names) ?? []),
    webhooks: toFileWebhooks(webhooks, local?.webhooks ?? [], variables),
    alerts: alerts.map((row) => toFileAlert(row, names)),
  };
}

/** Digests of the files that the app has without references, which do not depend on a folder. */
export function digestApp(stored: StoredApp): Digests {
  return digestFiles(formatFiles(toConfiguration(stored, undefined, {})));
}

type IntegrationFacts = {
  file: FileIntegration | undefined;
  variables: Variables;
  nameVariable(integration: string, credential: string): string;
};

function toFileIntegration(
  { name, channel, provider, settings: storedSettings, open }: OpenIntegration,
  { file, variables, nameVariable }: IntegrationFacts,
): FileIntegration {
  const definition = findProvider(channels, { channel, provider });
  const settings = definition ? completeSettings(definition, storedSettings) : storedSettings;
  const filled = Object.keys(keepEntries(open, isFilled));
  const generated = definition ? listMadeFields(definition.credentials) : [];
  const credentials = file
    ? Object.entries(file.credentials).filter(([credential]) => filled.includes(credential))
    : filled
        .filter((credential) => !generated.includes(credential))
        .map((credential) => [credential, { env: nameVariable(name, credential) }]);
  return {
    ...{ name, channel, provider },
    settings: keepReferences(settings, file?.settings, variables) as FileIntegration['settings'],
    credentials: Object.fromEntries(credentials),
  };
}

/** Undefined without a live version: a draft that was never published is not in the files. */
function toFileEvent(
  { name, live }: AppEventRow,
  names: ReadonlyMap<string, string>,
): FileEvent | undefined {
  if (!live) return undefined;
  const { channels: versions, delivery: _, ...fields } = completeDefinition(live.definition);
  const entries = Object.entries(versions).map(([channel, { integrationIds, ...version }]) => {
    // A removed integration sends nothing.
    const integrations = integrationIds.flatMap((id) => names.get(id) ?? []);
    return [channel, { integrations, ...version }];
  });
  return { name, fields, channels: Object.fromEntries(entries) };
}

function toFileWebhooks(
  webhooks: readonly WebhookEndpoint[],
  local: readonly FileWebhook[],
  variables: Variables,
): FileWebhook[] {
  const references = new Map(
    local.flatMap(({ url }) => (isReference(url) ? [[variables[url.env], url] as const] : [])),
  );
  return webhooks.map(({ url, types, description, ...row }) => ({
    url: references.get(url) ?? url,
    types,
    description,
    enabled: isOn(row),
  }));
}

/** The rule with the names of its integrations; a removed one is missing. */
export function toFileAlert(row: AlertRuleRow, names: ReadonlyMap<string, string>): FileAlert {
  const { kind, params, channel, integrationId, disabledAt } = row;
  const integration = integrationId === null ? undefined : names.get(integrationId);
  const sendBy = toTarget(names, row.sendBy, row.sendTo);
  const fallback = toTarget(names, row.fallbackBy, row.fallbackTo);
  return {
    ...{ kind, params, enabled: disabledAt === null },
    ...(channel !== null && { channel }),
    ...(integration !== undefined && { integration }),
    ...(sendBy && { sendBy }),
    ...(fallback && { fallback }),
  };
}

function toTarget(
  names: ReadonlyMap<string, string>,
  id: string | null,
  to: string[],
): FileAlertTarget | undefined {
  const integration = id === null ? undefined : names.get(id);
  return integration === undefined ? undefined : { integration, to };
}
