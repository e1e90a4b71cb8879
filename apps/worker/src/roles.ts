import { type ChannelName, channelNames } from '@belfry/channels';
import { EnvError } from '@belfry/runtime';
import { commonRoles, getDeliverQueue, optionalRoles } from '@belfry/shared';

/** A kind of work that a worker process does. */
export type Role =
  | { name: string; kind: 'deliver'; channel: ChannelName }
  | { name: CommonRole; kind: CommonRole };

type CommonRole = (typeof commonRoles)[number] | (typeof optionalRoles)[number];

/** The roles of `all`: one for each channel in the registry, and those for all channels. */
const roles: Role[] = [
  ...channelNames.map(
    (channel): Role => ({ name: getDeliverQueue(channel), kind: 'deliver', channel }),
  ),
  ...commonRoles.map((name): Role => ({ name, kind: name })),
];

/** The channels whose backlog this process reports: those it delivers, or all channels for the relay. */
export function listChannels(ownRoles: Role[]): ChannelName[] {
  if (ownRoles.some(({ kind }) => kind === 'relay')) return [...channelNames];
  return ownRoles.flatMap((role) => (role.kind === 'deliver' ? [role.channel] : []));
}

/** Parses WORKER_ROLES. Throws an EnvError that names an unknown role. */
export function parseRoles(text: string): Role[] {
  const names = text.split(',').map((name) => name.trim());
  const choice = [...roles, ...optionalRoles.map((name): Role => ({ name, kind: name }))];
  return names.flatMap((name) => {
    if (name === 'all') return roles;
    const role = choice.find((candidate) => candidate.name === name);
    if (role) return [role];
    const validNames = choice.map((each) => each.name).join(', ');
    const problem = `has the unknown role "${name}". Use all, or a list of ${validNames}`;
    throw new EnvError([{ name: 'WORKER_ROLES', problem, example: undefined }]);
  });
}
