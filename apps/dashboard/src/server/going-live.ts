import type { AnyChannel } from '@belfry/channels';
import type { AccountKeyRow, AppEventRow, AppIntegrationRow } from '@belfry/database';
import { checkChain } from '@belfry/pipeline/configure';
import type { GoingLiveItem } from '../api/apps';

export type GoingLiveFacts = {
  channels: Record<string, AnyChannel>;
  keys: readonly Pick<AccountKeyRow, 'state' | 'lastUsedAt'>[];
  gateway: { url: string; isUp: boolean };
  openInboxCounters: boolean;
  events: readonly Pick<AppEventRow, 'id' | 'name' | 'live'>[];
  integrations: readonly Pick<
    AppIntegrationRow,
    'id' | 'channel' | 'name' | 'state' | 'lastSuccessAt'
  >[];
};

/** The checklist for live delivery. It uses the rules of publishing, as if the app were live. */
export function listGoingLiveItems(facts: GoingLiveFacts): GoingLiveItem[] {
  return [checkKeys(facts), checkGateway(facts), checkInboxCounters(facts), ...checkEvents(facts)];
}

function checkKeys({ keys }: GoingLiveFacts): GoingLiveItem {
  const item = { title: 'API key', fix: { page: 'keys', id: null } } as const;
  const usable = keys.filter(({ state }) => state !== 'ended');
  if (usable.length === 0) {
    return { ...item, status: 'missing', text: 'There is no API key. An owner must create one.' };
  }
  return usable.some(({ lastUsedAt }) => lastUsedAt !== null)
    ? { ...item, status: 'ok', text: 'A backend has used an API key.' }
    : { ...item, status: 'warning', text: 'No backend has used an API key yet.' };
}

function checkGateway({ gateway: { url, isUp } }: GoingLiveFacts): GoingLiveItem {
  const item = { title: 'Gateway', fix: null };
  if (!isUp) {
    const text = `The gateway does not answer at ${url}. Start it, or correct PUBLIC_URL.`;
    return { ...item, status: 'missing', text };
  }
  if (!url.startsWith('https://')) {
    const text = `Calls to ${url} are not encrypted, nor are their API keys. Serve the gateway over HTTPS and set PUBLIC_URL.`;
    return { ...item, status: 'warning', text };
  }
  return { ...item, status: 'ok', text: `The gateway answers at ${url}.` };
}

function checkInboxCounters({ openInboxCounters }: GoingLiveFacts): GoingLiveItem {
  const item = { title: 'Inbox counters', fix: { page: 'apps', id: null } } as const;
  return openInboxCounters
    ? {
        ...item,
        status: 'warning',
        text: 'Inbox counters need no signature: anyone who knows a user_id can read and reset them.',
      }
    : { ...item, status: 'ok', text: 'Inbox counters need a signature.' };
}

function checkEvents(facts: GoingLiveFacts): GoingLiveItem[] {
  const live = facts.events.filter((event) => event.live !== null);
  if (live.length === 0) {
    const text = 'No event is published, so no call can send. Publish one.';
    return [{ status: 'missing', title: 'Events', text, fix: { page: 'events', id: null } }];
  }
  return live.flatMap((event) =>
    Object.entries(event.live?.definition.channels ?? {}).map(([channel, { integrationIds }]) => ({
      title: `${event.name}, ${channel}`,
      ...checkChannel({ eventId: event.id, channel, integrationIds }, facts),
    })),
  );
}

type LiveChannel = { eventId: string; channel: string; integrationIds: readonly string[] };

function checkChannel(
  { eventId, channel, integrationIds }: LiveChannel,
  { channels, integrations }: GoingLiveFacts,
): Omit<GoingLiveItem, 'title'> {
  const isBuiltIn = channels[channel]?.isBuiltIn === true;
  const problems = checkChain(channel, integrationIds, {
    integrations,
    delivery: 'live',
    isBuiltIn,
  });
  const chain = integrations.filter(({ id }) => integrationIds.includes(id));
  const untested = chain.filter(
    ({ state, lastSuccessAt }) => state === 'active' && lastSuccessAt === null,
  );
  const sentences = [
    ...problems.map(({ problem }) => problem),
    ...untested.map(
      ({ name }) =>
        `Integration ${name} has sent nothing with its current settings, nor passed a connection test. Test it.`,
    ),
  ];
  const isMissing = problems.some(({ severity }) => severity === 'error');
  const [broken] = chain.filter(({ state }) => state !== 'active').concat(untested);
  const fix =
    !isMissing && broken
      ? ({ page: 'integrations', id: broken.id } as const)
      : ({ page: 'events', id: eventId } as const);
  if (sentences.length > 0) {
    return { status: isMissing ? 'missing' : 'warning', text: sentences.join(' '), fix };
  }
  const names = chain.map(({ name }) => name).join(', ');
  const text = chain.length > 0 ? `Sends through ${names}.` : 'Needs no integration.';
  return { status: 'ok', text, fix };
}
