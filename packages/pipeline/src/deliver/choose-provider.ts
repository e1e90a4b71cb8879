import { type AnyChannel, type DescribeCall, type Notes, readPayload } from '@belfry/channels';
import type { IntegrationRow } from '@belfry/database';

/** A provider call with everything set except its content. */
export type PlannedCall = {
  described: Omit<DescribeCall<unknown>, 'content'>;
  provider: string;
  integration: IntegrationRow | undefined;
  /** Extra notes for the log. */
  notes: Notes | undefined;
};

type MessageFacts = { id: string; target: string; override: string | undefined };

/** Plans the call by an integration; without one, by the first provider of the channel. */
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
  if (first === undefined) throw new Error('The channel has no provider');
  return first;
}

export function getProvider({ providers }: AnyChannel, name: string) {
  const provider = providers[name];
  if (!provider) throw new Error(`The channel has no provider ${name}`);
  return provider;
}
