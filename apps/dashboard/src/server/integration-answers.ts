import type { AnyChannel, Provider } from '@belfry/channels';
import type { Actor, AppEvents, AppIntegrationRow, AppIntegrations } from '@belfry/database';
import { checkIntegration, findProvider } from '@belfry/pipeline/configure';
import type { IntegrationAnswer, UsedBy } from '../api/integrations';
import { type CredentialsBox, createHints } from './credentials';
import { toHealthAnswer } from './integration-health';
import { invalid, notFound } from './problem';
import { findReferences } from './references';
import { type AppCall, readId } from './route';

export type IntegrationAnswersDeps = {
  channels: Record<string, AnyChannel>;
  integrations: AppIntegrations;
  events: Pick<AppEvents, 'list'>;
  credentials: CredentialsBox;
  getReceiptUrl(integrationId: string): string;
  now: () => Date;
  /** Undefined without a Slack app. */
  getSlackInstallUrl: ((actor: Actor, integrationId: string) => string) | undefined;
};

export type IntegrationAnswers = ReturnType<typeof createIntegrationAnswers>;

/** Integration answers of the routes. */
export function createIntegrationAnswers(deps: IntegrationAnswersDeps) {
  const { channels, integrations, credentials: box } = deps;

  async function find({
    app,
    path,
  }: AppCall & { path: { id: string } }): Promise<AppIntegrationRow> {
    const row = await integrations.find(app.id, readId(path.id, 'integration'));
    if (!row) throw notFound('integration');
    return row;
  }

  async function answer(appId: string, id: string): Promise<IntegrationAnswer> {
    const [row, events] = await Promise.all([
      integrations.find(appId, id),
      deps.events.list(appId),
    ]);
    if (!row) throw notFound('integration');
    return toAnswer(row, findReferences(events, row));
  }

  function toAnswer(row: AppIntegrationRow, usedBy: UsedBy[]): IntegrationAnswer {
    const { id, name, channel, provider, settings, state, stateReason } = row;
    const stored = box.open(row);
    const providerDefinition = findProvider(channels, { channel, provider });
    const input = { settings, credentials: stored };
    const dnsRecord = providerDefinition?.getDnsRecord?.(input) ?? null;
    const problems = providerDefinition ? checkIntegration(providerDefinition, input) : [];
    return {
      id,
      name,
      channel,
      provider,
      settings,
      state,
      stateReason,
      waiting: row.waiting,
      isWaitingCapped: row.isWaitingCapped,
      health: toHealthAnswer(row, deps.now()),
      credentials: providerDefinition
        ? createHints(providerDefinition, stored, row.credentialChanges)
        : {},
      createdAt: row.createdAt.getTime(),
      updatedAt: row.updatedAt.getTime(),
      usedBy,
      receiptUrl: hasUrlToCopy(providerDefinition) ? deps.getReceiptUrl(id) : null,
      dnsRecord,
      mailSignature: dnsRecord ? null : row.mailSignature,
      canAddToSlack: provider === 'slack' && deps.getSlackInstallUrl !== undefined,
      problems,
    };
  }

  function getProvider(query: { channel: string; provider: string }): Provider<unknown> {
    const provider = findProvider(channels, query);
    if (provider) return provider;
    throw invalid([{ path: 'provider', problem: `is not a provider of ${query.channel}` }]);
  }

  return { find, answer, toAnswer, getProvider };
}

/** Whether an operator enters our URL at the provider. */
function hasUrlToCopy(provider: Provider<unknown> | undefined): boolean {
  return provider?.receipts !== undefined && !provider.receipts.registersUrl;
}
