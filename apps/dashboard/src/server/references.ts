import type { AppEventRow, AppIntegrationRow } from '@belfry/database';
import type { VersionDefinition } from '@belfry/shared';
import type { UsedBy } from '../api/integrations';
import { describeWaitingHarm } from '../api/waiting-harm';

/** Events whose live version or draft uses an integration. */
export function findReferences(
  events: readonly AppEventRow[],
  { id, channel }: Pick<AppIntegrationRow, 'id' | 'channel'>,
): UsedBy[] {
  return events.flatMap((event) => {
    const live = getChain(event.live?.definition, channel);
    const draft = getChain(event.draft ?? undefined, channel);
    const locations: UsedBy['in'] = [
      ...(live.includes(id) ? (['live'] as const) : []),
      ...(draft.includes(id) ? (['draft'] as const) : []),
    ];
    if (locations.length === 0) return [];
    const chain = live.includes(id) ? live : draft;
    return [{ eventId: event.id, name: event.name, in: locations, isOnly: chain.length === 1 }];
  });
}

function getChain(definition: VersionDefinition | undefined, channel: string): string[] {
  return definition?.channels[channel]?.integrationIds ?? [];
}

/** Consequences of removing the integration; undefined if there are none. */
export function describeRemovalHarm(
  integration: Pick<AppIntegrationRow, 'waiting' | 'isWaitingCapped'>,
  references: UsedBy[],
  /** Alert rules that watch it, or whose notifications it sends. */
  alertRules: number,
): string | undefined {
  const live = references.filter((use) => use.in.includes('live'));
  const alone = live.filter(({ isOnly }) => isOnly).map(({ name }) => name);
  const others = live.filter(({ isOnly }) => !isOnly).map(({ name }) => name);
  const drafts = references.filter((use) => !use.in.includes('live')).map(({ name }) => name);
  const sentences = [
    ...describeWaitingHarm(integration),
    ...(alone.length > 0
      ? [`It is the only integration of its channel in ${alone.join(', ')}.`]
      : []),
    ...(others.length > 0
      ? [`${others.join(', ')} will use the other integrations of the chain.`]
      : []),
    ...(drafts.length > 0 ? [`The drafts of ${drafts.join(', ')} use it.`] : []),
    ...(alertRules > 0 ? [`Alert rules that watch it or send by it: ${alertRules}.`] : []),
  ];
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}
