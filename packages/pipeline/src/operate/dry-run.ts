import type { AnyChannel, ComposeResult, Notes, ProviderRequest } from '@belfry/channels';
import type { IntegrationRow, UserRow, VersionRow } from '@belfry/database';
import type { Awaitable, FairQueue } from '@belfry/runtime';
import {
  AppError,
  failureReasons,
  type Recipient,
  skipReasons,
  type WireItem,
} from '@belfry/shared';
import { createFindLive, type FindLiveDeps } from '../accept/accept-call';
import type { Plan } from '../accept/plan';
import type { NewMessage } from '../accept/write-requests';
import { getProvider, type PlannedCall, planCall } from '../deliver/choose-provider';
import { type Compose, createCompose } from '../deliver/compose';
import type { Permission, PermissionQuery } from '../deliver/permissions.sql';

export type DryRunDeps = FindLiveDeps & {
  channels: Record<string, AnyChannel>;
  /** Shares the work of composing out among accounts. */
  composing: FairQueue;
  findUser(appId: string, userId: string): Promise<UserRow | undefined>;
  findIntegration(id: string): Awaitable<IntegrationRow | undefined>;
  /** One answer for each that is asked for. */
  readPermissions(appId: string, queries: PermissionQuery[]): Promise<Permission[]>;
  readStoredRecipient(user: UserRow): Recipient;
  plan: Plan;
  newId: () => string;
  now: () => Date;
};

export type DryRunInput = {
  app: {
    id: string;
    accountId: string;
    delivery: 'sandbox' | 'live';
    defaultRegion: string | null;
  };
  eventName: string;
  item: WireItem;
};

/** What a send would do on one channel, to one target. */
export type DryRunMessage = {
  channel: string;
  would: 'send' | 'skip' | 'fail';
  /** Why it would not be sent. */
  reason?: string;
  detail?: string;
  target?: string;
  integration?: string;
  provider?: string;
  dueAt?: Date;
  /** As the provider would get it, without any credential. */
  request?: ProviderRequest;
  notes?: Notes;
  warnings: string[];
};

export type DryRun = (
  input: DryRunInput,
) => Promise<{ delivery: 'sandbox' | 'live'; messages: DryRunMessage[] }>;

/**
 * What would become of a call, by the very code that plans and composes it. Writes nothing. Throws `too_complex` where one
 * of its messages takes more work than a message may.
 */
export function createDryRun(deps: DryRunDeps): DryRun {
  const findLive = createFindLive(deps);
  const tryMessage = createTryMessage(deps);

  return async function dryRun({ app, eventName, item }) {
    const { version } = await findLive({ app, eventName });
    const delivery = version.definition.delivery ?? app.delivery;
    const planned = deps.plan({
      item,
      stored: await findStoredUser(app.id, item),
      definition: version.definition,
      delivery,
      defaultRegion: app.defaultRegion,
      now: deps.now(),
      newId: deps.newId,
    });
    const skipped = Object.entries(planned.skips).map(
      ([channel, skip]): DryRunMessage => ({ channel, would: 'skip', ...skip, warnings: [] }),
    );
    const sent: DryRunMessage[] = [];
    for (const message of planned.messages) {
      const facts = { app, delivery, item, version, locale: planned.locale, message };
      sent.push(await tryMessage(facts));
    }
    const order = Object.keys(version.definition.channels);
    const messages = [...sent, ...skipped].sort(
      (a, b) => order.indexOf(a.channel) - order.indexOf(b.channel),
    );
    return { delivery, messages };
  };

  async function findStoredUser(appId: string, item: WireItem): Promise<Recipient | undefined> {
    const userId = item.user?.user_id;
    const user = userId ? await deps.findUser(appId, userId) : undefined;
    return user && deps.readStoredRecipient(user);
  }
}

/** What would become of one message that was planned. */
function createTryMessage(deps: DryRunDeps) {
  const getComposer = createComposers(deps.channels, deps.composing);

  return async function tryMessage(facts: MessageFacts): Promise<DryRunMessage> {
    const { message, version, delivery, locale } = facts;
    const channel = deps.channels[message.channel];
    const channelVersion = version.definition.channels[message.channel];
    if (!channel || !channelVersion) throw new Error(`There is no channel ${message.channel}`);
    const chain = await Promise.all(channelVersion.integrationIds.map(deps.findIntegration));
    const carrier =
      delivery === 'sandbox' ? { integration: chain[0], warnings: [] } : chooseCarrier(chain);
    const data = toJson(facts.item.data);
    const override = toJson(facts.item.override);
    const call = planCall(channel, { ...message, override }, carrier.integration);
    const composed = await getComposer(message.channel)({
      accountId: facts.app.accountId,
      message: { ...message, locale, data, override },
      version,
      channelVersion,
    });
    if ('failed' in composed && composed.failed === 'too_complex') {
      throw new AppError('too_complex', `${message.channel}: ${composed.detail}`);
    }
    const [permission] = await deps.readPermissions(facts.app.id, [toPermissionQuery(facts, call)]);
    const isRemoved = delivery === 'live' && chain.length > 0 && !chain[0];
    return {
      ...describeMessage(message, call, { channel, composed }),
      ...decideVerdict(composed, { isSuppressed: permission?.isSuppressed === true, isRemoved }),
      warnings: [...listWarnings(message, composed, permission), ...carrier.warnings],
    };
  };
}

/** One a channel: it keeps what it compiled. */
function createComposers(channels: Record<string, AnyChannel>, composing: FairQueue) {
  const composers = new Map(
    Object.entries(channels).map(([name, channel]) => [name, createCompose(channel, composing)]),
  );
  return function getComposer(name: string): Compose {
    const composer = composers.get(name);
    if (!composer) throw new Error(`There is no channel ${name}`);
    return composer;
  };
}

type MessageFacts = {
  app: DryRunInput['app'];
  delivery: 'sandbox' | 'live';
  item: WireItem;
  version: VersionRow;
  locale: string | undefined;
  message: NewMessage;
};

type Verdict = Pick<DryRunMessage, 'would' | 'reason' | 'detail'>;

/** In the order in which a claim, and then an attempt, would find it. */
function decideVerdict(
  composed: ComposeResult<unknown>,
  { isSuppressed, isRemoved }: { isSuppressed: boolean; isRemoved: boolean },
): Verdict {
  if (isRemoved) return fail('integration_removed', failureReasons.integration_removed);
  if (isSuppressed) {
    return { would: 'skip', reason: 'suppressed', detail: skipReasons.suppressed };
  }
  return 'failed' in composed ? fail(composed.failed, composed.detail) : { would: 'send' };
}

function fail(reason: string, detail: string): Verdict {
  return { would: 'fail', reason, detail };
}

function describeMessage(
  { channel: name, target, dueAt }: NewMessage,
  { described, provider, integration, notes }: PlannedCall,
  { channel, composed }: { channel: AnyChannel; composed: ComposeResult<unknown> },
): Omit<DryRunMessage, 'would' | 'warnings'> {
  const allNotes = 'content' in composed ? { ...composed.notes, ...notes } : { ...notes };
  return {
    channel: name,
    target,
    ...(integration ? { integration: integration.name } : {}),
    provider,
    ...(dueAt ? { dueAt } : {}),
    ...('content' in composed
      ? {
          request: getProvider(channel, provider).describe({
            ...described,
            content: composed.content,
          }),
        }
      : {}),
    ...(Object.keys(allNotes).length > 0 ? { notes: allNotes } : {}),
  };
}

function listWarnings(
  { note }: NewMessage,
  composed: ComposeResult<unknown>,
  permission: Permission | undefined,
): string[] {
  const { missing = [], notes = {} } = 'content' in composed ? composed : {};
  return [
    ...(note ? [note] : []),
    ...('language' in notes ? [String(notes['language'])] : []),
    ...(missing.length > 0
      ? [`The template reads what the data does not hold: ${missing.join(', ')}.`]
      : []),
    ...(permission?.isChannelPaused ? ['The channel is paused: the message would wait.'] : []),
  ];
}

type Carrier = { integration: IntegrationRow | undefined; warnings: string[] };

/** Whom the claim would let carry it. */
function chooseCarrier(chain: readonly (IntegrationRow | undefined)[]): Carrier {
  const [first, ...others] = chain;
  if (!first || first.state === 'active') return { integration: first, warnings: [] };
  if (first.state === 'paused') {
    const warning = `The integration ${first.name} is paused: the message would wait.`;
    return { integration: first, warnings: [warning] };
  }
  const next = others.find((each) => each?.state === 'active');
  const then = next ? `${next.name} would take over.` : 'the message would wait.';
  return {
    integration: next ?? first,
    warnings: [`The integration ${first.name} needs attention: ${then}`],
  };
}

/** A suppression may be for one sender: the one that the call names, else the integration's. */
function toPermissionQuery(
  { item, message }: MessageFacts,
  { described }: PlannedCall,
): PermissionQuery {
  const { channel, target } = message;
  const ownSender = findOwnSender(item.override?.[channel]);
  const integrationSender = described.settings['sender'];
  const sender = ownSender ?? (typeof integrationSender === 'string' ? integrationSender : '');
  return { channel, target, sender };
}

function findOwnSender(override: unknown): string | undefined {
  const members = isRecord(override) ? override : {};
  const message = isRecord(members['message']) ? members['message'] : {};
  const sender = members['sender'] ?? message['sender'];
  // As the claim compares it: without what people write between digits.
  return typeof sender === 'string' ? sender.replace(/[\s().-]/g, '') : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toJson(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
