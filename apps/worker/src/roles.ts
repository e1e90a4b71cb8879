import { type ChannelName, channelNames } from '@belfry/channels';
import { EnvError } from '@belfry/runtime';
import { fanOutQueue, getDeliverQueue } from '@belfry/shared';

/** What one process of the worker does. */
export type Role =
  | { name: string; kind: 'deliver'; channel: ChannelName }
  | { name: 'fanout'; kind: 'fanout' }
  | { name: 'relay'; kind: 'relay' };

/** Every role that there is: one for each channel of the registry, and two for all of them. */
const roles: Role[] = [
  ...channelNames.map(
    (channel): Role => ({ name: getDeliverQueue(channel), kind: 'deliver', channel }),
  ),
  { name: fanOutQueue, kind: 'fanout' },
  { name: 'relay', kind: 'relay' },
];

/** The channels whose backlog is a process's concern: those it delivers, and all of them for the relay. */
export function listChannels(ownRoles: Role[]): ChannelName[] {
  if (ownRoles.some(({ kind }) => kind === 'relay')) return [...channelNames];
  return ownRoles.flatMap((role) => (role.kind === 'deliver' ? [role.channel] : []));
}

/** The roles named in WORKER_ROLES; throws naming the one that does not exist. */
export function parseRoles(text: string): Role[] {
  if (text.trim() === 'all') return roles;
  const names = text.split(',').map((name) => name.trim());
  return names.map((name) => {
    const role = roles.find((candidate) => candidate.name === name);
    if (role) return role;
    const validNames = roles.map((each) => each.name).join(', ');
    const problem = `there is no role "${name}"; there are ${validNames}, and all`;
    throw new EnvError([{ name: 'WORKER_ROLES', problem, example: undefined }]);
  });
}
