import { type AnyChannel, type DescribeCall, type Notes, readPayload } from '@belfry/channels';
import type { IntegrationRow } from '@belfry/database';

/** A call to a provider with everything but its content settled. */
export type PlannedCall = {
  described: Omit<DescribeCall<unknown>, 'content'>;
  provider: string;
  integration: IntegrationRow | undefined;
  /** What the log says beside the message. */
  notes: Notes | undefined;
};

type MessageFacts = { id: string; target: string; override: string | undefined };

/** How a message goes by an integration; without one, by the first provider of its channel. */
export function planCall(
  channel: AnyChannel,
  { id, target, override }: MessageFacts,
  integration: IntegrationRow | undefined,
): PlannedCall {
  const provider = integration?.provider ?? firstProvider(channel);
  const { payload, notes } = readPayload(
    { override },
    integration?.name,
    getProvider(channel, provider).payload,
  );
  const described = {
    messageId: id,
    target,
    settings: integration?.settings ?? {},
    ...(payload ? { payload } : {}),
  };
  return { described, provider, integration, notes };
}

function firstProvider({ providers }: AnyChannel): string {
  const [first] = Object.keys(providers);
  if (first === undefined) throw new Error('A channel without a provider');
  return first;
}

export function getProvider({ providers }: AnyChannel, name: string) {
  const provider = providers[name];
  if (!provider) throw new Error(`The channel has no provider ${name}`);
  return provider;
}
