import {
  type AnyChannel,
  type CaptureRecord,
  createSandboxSender,
  type Deadline,
  type DescribeCall,
  getDefaultProvider,
  type Notes,
  type PreparedSend,
  type ProviderRequest,
  readPayload,
  type SandboxCall,
  type Sender,
  type SenderDeps,
  type SendResult,
  sandboxProvider,
} from '@belfry/channels';
import {
  type AppRow,
  type IntegrationRevision,
  type IntegrationRow,
  markActive,
  markNeedsAttention,
  openCredentials,
} from '@belfry/database';
import { buildBounceAddress, buildReceiptUrl, type Logger, type Secrets } from '@belfry/runtime';
import type { ChannelVersion } from '@belfry/shared';
import type pg from 'pg';
import type { ClaimedMessage } from './claim.sql';
import type { FindOwnToken } from './own-token';
import { createProviderConnections, type ProviderConnections } from './slots';

/** Sends one message; everything except its content is already set. */
export type Carrier = {
  /** The provider's name, for the log. */
  provider: string;
  /** The revision of the integration; absent without one. */
  integrationUpdatedAt?: Date;
  /** Extra notes for the log. */
  notes?: Notes;
  describe(content: unknown): ProviderRequest;
  /** See `Sender.prepare`; absent if nothing must be prepared before the call. */
  prepare?(content: unknown, signal: AbortSignal): Promise<PreparedSend | SendResult | undefined>;
  send(call: CarrierCall): Promise<SendResult>;
};

export type CarrierCall = Deadline & { content: unknown };

export type Carriers = {
  find(call: FindCarrier): Promise<Carrier>;
  connections: ProviderConnections;
  close(): Promise<void>;
};

export type FindCarrier = {
  message: ClaimedMessage;
  app: AppRow;
  channelVersion: ChannelVersion;
  /** The text that the sandbox stores instead of the content. */
  hiddenAs?: string;
};

export type CarriersDeps = {
  channelName: string;
  channel: AnyChannel;
  findIntegration(id: string): Promise<IntegrationRow | undefined>;
  /** Undefined if the channel accepts no token with a message. */
  findOwnToken: FindOwnToken | undefined;
  secrets: Secrets;
  capture(record: CaptureRecord): Promise<void>;
  senderDeps: SenderDeps;
  /** The public URL that providers can reach, if there is one. */
  receiptsAt: string | undefined;
};

/** The only place that chooses how a message is sent: by the sandbox, or by the provider of its integration. */
export function createCarriers(deps: CarriersDeps): Carriers {
  const { channelName, channel, capture, findIntegration } = deps;
  const sandbox = createSandboxSender({ channels: { [channelName]: channel }, capture });
  const senders = createSenders(deps);
  const openOnce = createOpenOnce(deps.secrets);

  return {
    async find(call) {
      const planned = await planMessage(call);
      const { described, provider, notes, integration } = planned;
      const carrier = {
        describe: (content: unknown) =>
          getProvider(channel, provider).describe({ ...described, content }),
        ...(notes ? { notes } : {}),
      };
      if (call.app.delivery === 'sandbox') {
        const sandboxCall = toSandboxCall(planned, call);
        return {
          ...carrier,
          provider: sandboxProvider,
          send: ({ content, signal }) => sandbox.send({ ...sandboxCall, content, signal }),
        };
      }
      const ownToken = await deps.findOwnToken?.(call.message);
      const integrationFields = buildIntegrationFields(deps, openOnce, planned);
      const { webPush } = call.message;
      const callFields = {
        ...integrationFields,
        ...(ownToken === undefined ? {} : { ownToken }),
        ...(webPush ? { webPush } : {}),
      };
      const sender = senders.get(provider);
      const { prepare } = sender;
      return {
        ...carrier,
        provider,
        ...(integration && { integrationUpdatedAt: integration.updatedAt }),
        ...(prepare && {
          prepare: (content, signal) => prepare({ ...callFields, content }, signal),
        }),
        send: (sendCall) => sender.send({ ...callFields, ...sendCall }),
      };
    },
    connections: createProviderConnections({
      channel,
      findIntegration,
      getSender: senders.get,
      openCredentials: openOnce,
    }),
    close: senders.close,
  };

  async function planMessage({ message, app, channelVersion }: FindCarrier): Promise<PlannedCall> {
    // The sandbox shows the call that the first integration of the chain would have made.
    const integrationId =
      app.delivery === 'sandbox' ? channelVersion.integrationIds[0] : message.integrationId;
    const integration =
      integrationId === undefined ? undefined : await findIntegration(integrationId);
    return planCall(channel, message, integration);
  }
}

function toSandboxCall(
  { described, provider, integration }: PlannedCall,
  { message, hiddenAs }: FindCarrier,
): Omit<SandboxCall, 'content' | 'signal'> {
  const { settings, payload, messageId, target } = described;
  return {
    appId: message.appId,
    messageId,
    attempt: message.attempt,
    channel: message.channel,
    target,
    ...(integration && { integration: { provider, settings } }),
    ...(payload ? { payload } : {}),
    ...(hiddenAs === undefined ? {} : { hiddenAs }),
  };
}

/** Adds the fields that only a live call needs: credentials and the receipt URL. */
function buildIntegrationFields(
  { secrets, receiptsAt: publicUrl }: CarriersDeps,
  openOnce: OpenOnce,
  { described, integration }: PlannedCall,
) {
  if (!integration) {
    return { ...described, credentials: {}, integrationId: '', integrationVersion: '' };
  }
  const { id: integrationId, updatedAt } = integration;
  const { messageId } = described;
  const part = {
    ...described,
    credentials: openOnce(integration),
    integrationId,
    integrationVersion: String(updatedAt.getTime()),
    buildBounceAddress: (mail: { domain: string; hasCopies: boolean }) =>
      buildBounceAddress(secrets, { ...mail, messageId }),
  };
  if (publicUrl === undefined) return part;
  return { ...part, receiptUrl: buildReceiptUrl({ publicUrl, secrets, integrationId, messageId }) };
}

type OpenOnce = (integration: IntegrationRow) => Record<string, unknown>;

/** Decrypts a row's credentials on first use, and keeps them as long as the row is cached. */
function createOpenOnce(secrets: Secrets): OpenOnce {
  const opened = new WeakMap<IntegrationRow, Record<string, unknown>>();
  return function openOnce(integration) {
    const openedCredentials = opened.get(integration);
    if (openedCredentials) return openedCredentials;
    const credentials = openCredentials(integration, secrets);
    opened.set(integration, credentials);
    return credentials;
  };
}

/** Creates one sender for each provider on first use, because loading an SDK costs memory. */
function createSenders({ channel, senderDeps }: CarriersDeps) {
  const sendersByName = new Map<string, Sender<unknown>>();
  return {
    get(name: string): Sender<unknown> {
      const existingSender = sendersByName.get(name);
      if (existingSender) return existingSender;
      const sender = getProvider(channel, name).createSender(senderDeps);
      sendersByName.set(name, sender);
      return sender;
    },
    async close(): Promise<void> {
      await Promise.all([...sendersByName.values()].map((sender) => sender.close()));
    },
  };
}

/** A provider call with everything set except its content. */
export type PlannedCall = {
  described: Omit<DescribeCall<unknown>, 'content'>;
  provider: string;
  integration: IntegrationRow | undefined;
  /** Extra notes for the log. */
  notes: Notes | undefined;
};

type MessageFacts = { id: string; target: string; override: string | undefined };

/** Plans the call by an integration; without one, by the default provider. */
export function planCall(
  channel: AnyChannel,
  { id, target, override }: MessageFacts,
  integration: IntegrationRow | undefined,
): PlannedCall {
  const provider = integration?.provider ?? getDefaultProvider(channel, target);
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

export function getProvider({ providers }: AnyChannel, name: string) {
  const provider = providers[name];
  if (!provider) throw new Error(`The channel has no provider ${name}`);
  return provider;
}

/** The result of an attempt for its integration: why it refused the call, or undefined if it works. */
export type IntegrationReport = IntegrationRevision & { refusal: string | undefined };

export type MarkIntegrationDeps = Pick<CarriersDeps, 'findIntegration'> & {
  pool: pg.Pool;
  log: Logger;
};

/** Best effort: the next message repeats a missed mark. */
export function createMarkIntegration({ pool, findIntegration, log }: MarkIntegrationDeps) {
  async function mark({ refusal, ...revision }: IntegrationReport): Promise<void> {
    const { integrationId } = revision;
    if (refusal !== undefined) {
      log.warn('integration.needs_attention', { integration_id: integrationId });
      await markNeedsAttention(pool, { ...revision, reason: refusal });
      return;
    }
    const integration = await findIntegration(integrationId);
    if (integration?.state === 'needs_attention') await markActive(pool, revision);
  }

  return async function markIntegration(report: IntegrationReport): Promise<void> {
    await mark(report).catch((error: unknown) => log.warn('integration.not_marked', { error }));
  };
}
