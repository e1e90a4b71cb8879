import {
  type AnyChannel,
  type CaptureRecord,
  createSandboxSender,
  type ProviderRequest,
  type Sender,
  type SenderDeps,
  type SendResult,
  sandboxProvider,
} from '@belfry/channels';
import {
  type AppRow,
  type ClaimedMessage,
  type IntegrationRow,
  integrationPlace,
} from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import type { ChannelVersion } from '@belfry/shared';
import type { FindOwnToken } from './own-token';

/** Who carries one message, with everything but its content already settled. */
export type Carrier = {
  /** The provider's name, for the log. */
  provider: string;
  describe(content: unknown): ProviderRequest;
  send(call: CarrierCall): Promise<SendResult>;
};

export type CarrierCall = { content: unknown; signal: AbortSignal; deadlineAt: number };

export type Carriers = {
  find(call: FindCarrier): Promise<Carrier>;
  close(): Promise<void>;
};

export type FindCarrier = {
  message: ClaimedMessage;
  app: AppRow;
  channelVersion: ChannelVersion;
};

export type CarriersDeps = {
  channelName: string;
  channel: AnyChannel;
  findIntegration(id: string): Promise<IntegrationRow | undefined>;
  findOwnToken: FindOwnToken;
  secrets: Secrets;
  capture(record: CaptureRecord): Promise<void>;
  senderDeps: SenderDeps;
};

/** The one place that decides who carries a message: the sandbox, or the provider of its integration. */
export function createCarriers(deps: CarriersDeps): Carriers {
  const { channelName, channel, capture, findIntegration } = deps;
  const sandbox = createSandboxSender({ channels: { [channelName]: channel }, capture });
  const senders = createSenders(deps);

  return {
    async find({ message, app, channelVersion }) {
      // The sandbox shows the call that the first integration of the chain would have made.
      const integrationId =
        app.delivery === 'sandbox' ? channelVersion.integrationIds[0] : message.integrationId;
      const integration =
        integrationId === undefined ? undefined : await findIntegration(integrationId);
      const provider = integration?.provider ?? firstProvider(channel);
      const settings = integration?.settings ?? {};
      const { id: messageId, target } = message;
      function describe(content: unknown): ProviderRequest {
        return providerOf(channel, provider).describe({ messageId, target, content, settings });
      }
      if (app.delivery === 'sandbox') {
        const { appId, attempt, channel: name } = message;
        const call = {
          appId,
          messageId,
          attempt,
          channel: name,
          target,
          ...(integration && { integration: { provider, settings } }),
        };
        return {
          provider: sandboxProvider,
          describe,
          send: ({ content, signal }) => sandbox.send({ ...call, content, signal }),
        };
      }
      const ownToken = await deps.findOwnToken(message);
      const credentials = openCredentials(integration, deps.secrets);
      return {
        provider,
        describe,
        send: (call) =>
          senders.get(provider).send({
            ...call,
            messageId,
            target,
            settings,
            credentials,
            integrationId: integration?.id ?? '',
            integrationVersion: String(integration?.updatedAt.getTime() ?? ''),
            ...(ownToken === undefined ? {} : { ownToken }),
          }),
      };
    },
    close: senders.close,
  };
}

function firstProvider({ providers }: AnyChannel): string {
  const [first] = Object.keys(providers);
  if (first === undefined) throw new Error('A channel without a provider');
  return first;
}

function providerOf({ providers }: AnyChannel, name: string) {
  const provider = providers[name];
  if (!provider) throw new Error(`The channel has no provider ${name}`);
  return provider;
}

function openCredentials(
  integration: IntegrationRow | undefined,
  secrets: Secrets,
): Record<string, unknown> {
  if (!integration) return {};
  // Sealed as an object, by the provider's schema.
  return JSON.parse(secrets.open(integration.credentials, integrationPlace(integration.id)));
}

/** One sender a provider, made when it is first needed: loading an SDK costs memory. */
function createSenders({ channel, senderDeps }: CarriersDeps) {
  const made = new Map<string, Sender<unknown>>();
  return {
    get(name: string): Sender<unknown> {
      const known = made.get(name);
      if (known) return known;
      const sender = providerOf(channel, name).createSender(senderDeps);
      made.set(name, sender);
      return sender;
    },
    async close(): Promise<void> {
      await Promise.all([...made.values()].map((sender) => sender.close()));
    },
  };
}
