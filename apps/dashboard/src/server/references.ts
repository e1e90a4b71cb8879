import type { AppEventRow, AppIntegrationRow } from '@belfry/database';
import type { VersionDefinition } from '@belfry/shared';
import type { UsedBy } from '../api/integrations';

/** The events whose live version or draft names an integration. */
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

/** What goes wrong without it; undefined where nothing does. */
export function describeRemovalHarm(
  { waiting }: AppIntegrationRow,
  references: UsedBy[],
): string | undefined {
  const live = references.filter((use) => use.in.includes('live'));
  const alone = live.filter(({ isOnly }) => isOnly).map(({ name }) => name);
  const others = live.filter(({ isOnly }) => !isOnly).map(({ name }) => name);
  const drafts = references.filter((use) => !use.in.includes('live')).map(({ name }) => name);
  const sentences = [
    ...(waiting > 0 ? [`${waiting} messages that wait for it will fail.`] : []),
    ...(alone.length > 0 ? [`Nothing else sends its channel for ${alone.join(', ')}.`] : []),
    ...(others.length > 0 ? [`${others.join(', ')} will send by the others of their chain.`] : []),
    ...(drafts.length > 0 ? [`The drafts of ${drafts.join(', ')} name it.`] : []),
  ];
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}
