import type { AppIntegration, IntegrationUse, OpenIntegration } from '@belfry/database';
import type {
  IntegrationDetail,
  IntegrationInfo,
  IntegrationUseInfo,
} from '../api-types/integrations';

export function infoOf(integration: AppIntegration, uses: IntegrationUse[]): IntegrationInfo {
  const { id, name, channel, provider, state, stateReason, createdAt, updatedAt } = integration;
  return {
    id,
    name,
    channel,
    provider,
    state,
    stateReason,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    usedBy: uses.filter(({ integrationId }) => integrationId === id).map(useOf),
  };
}

export function detailOf(
  integration: OpenIntegration,
  uses: IntegrationUse[],
  receiptUrl: string | null,
): IntegrationDetail {
  return {
    ...infoOf(integration, uses),
    settings: integration.settings,
    credentials: Object.fromEntries(
      Object.entries(integration.credentials).map(([field, value]) => [field, endOf(value)]),
    ),
    receiptUrl,
  };
}

function useOf({ eventId, eventName, channel, where, isOnly }: IntegrationUse): IntegrationUseInfo {
  return { eventId, eventName, channel, where, isOnly };
}

const shownCharacters = 4;
/** Of anything shorter the end would be too much of it. */
const minCharacters = 16;

function endOf(credential: unknown): string {
  const text = typeof credential === 'string' ? credential : '';
  return text.length < minCharacters ? '' : text.slice(-shownCharacters);
}
