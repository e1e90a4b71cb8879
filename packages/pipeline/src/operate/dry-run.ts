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
import { createFindLive, type FindLiveDeps } from '../accept/accept';
import type { Plan } from '../accept/plan';
import type { NewMessage } from '../accept/write.sql';
import { getProvider, type PlannedCall, planCall } from '../deliver/choose-integration';
import { type Compose, createCompose } from '../deliver/compose';
import {
  type Candidate,
  type Eligibility,
  failingObstacles,
  type Obstacle,
  skippingObstacles,
} from '../deliver/eligibility.sql';
import type { CurrentSuppression } from '../deliver/suppression.sql';

export type DryRunDeps = FindLiveDeps & {
  channels: Record<string, AnyChannel>;
  /** Shares the work of composing out among accounts. */
  composing: FairQueue;
  findUser(appId: string, userId: string): Promise<UserRow | undefined>;
  findIntegration(id: string): Awaitable<IntegrationRow | undefined>;
  /** See readEligibility. */
  readEligibility(appId: string, candidates: readonly Candidate[]): Promise<Eligibility[]>;
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

/** The result of a send on one channel, to one target. */
export type DryRunMessage = {
  channel: string;
  would: 'send' | 'skip' | 'fail';
  /** Why it would not be sent. */
  reason?: string;
  detail?: string;
  /** The suppression of the address, if that is the reason. */
  suppression?: CurrentSuppression;
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
 * Shows the result of a send, with the same planning, verdict and content as the send itself. Writes nothing. Throws `too_complex` where one
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

/** Tries one planned message: the verdict of a claim, and the content that an attempt would send. */
function createTryMessage(deps: DryRunDeps) {
  const getComposer = createComposers(deps.channels, deps.composing);
  const judge = createJudge(deps);

  return async function tryMessage(facts: MessageFacts): Promise<DryRunMessage> {
    const { message, version, locale } = facts;
    const channel = deps.channels[message.channel];
    const channelVersion = version.definition.channels[message.channel];
    if (!channel || !channelVersion) throw new Error(`There is no channel ${message.channel}`);
    const judgement = await judge(facts, channelVersion.integrationIds);
    const integrationId = judgement.integrationId ?? channelVersion.integrationIds[0];
    const integration = integrationId ? await deps.findIntegration(integrationId) : undefined;
    const data = toJson(facts.item.data);
    const override = toJson(facts.item.override);
    const call = planCall(channel, { ...message, override }, integration);
    const composed = await getComposer(message.channel)({
      accountId: facts.app.accountId,
      message: { ...message, locale, data, override },
      version,
      channelVersion,
    });
    if ('failed' in composed && composed.failed === 'too_complex') {
      throw new AppError('too_complex', `${message.channel}: ${composed.detail}`);
    }
    return {
      ...describeMessage(message, call, { channel, composed }),
      ...toVerdict(judgement, composed),
      warnings: [...listWarnings(message, composed), ...judgement.warnings],
    };
  };
}

type Judgement = {
  obstacle: Obstacle | null;
  suppression: CurrentSuppression | null;
  /** The integration that would send the message. */
  integrationId: string | undefined;
  warnings: string[];
};

/** The verdict of the claims that a message would go through: after a failover, the next integration is judged. */
function createJudge({ readEligibility, findIntegration }: DryRunDeps) {
  return async function judge(
    { app, item, message }: MessageFacts,
    chain: readonly string[],
  ): Promise<Judgement> {
    const { channel, target, deviceId } = message;
    const sender = findSender(item.override?.[channel]);
    const candidate = { channel, target, deviceId, sender, userId: item.user?.user_id, chain };
    const first = await readOne(app.id, { ...candidate, integrationId: message.integrationId });
    if (first.obstacle !== 'failover') {
      const { integrationId } = message;
      const waits = listWaits(first, await findName(integrationId));
      const { obstacle, suppression } = first;
      return { obstacle, suppression, integrationId, warnings: waits };
    }
    const integrationId = first.nextIntegrationId ?? undefined;
    const [name, nextName] = [await findName(message.integrationId), await findName(integrationId)];
    const second = await readOne(app.id, { ...candidate, integrationId });
    const failover = `The integration ${name} needs attention: ${nextName} would take over.`;
    const warnings = [failover, ...listWaits(second, nextName)];
    const { obstacle, suppression } = second;
    return { obstacle, suppression, integrationId, warnings };
  };

  async function readOne(appId: string, candidate: Candidate): Promise<Eligibility> {
    const [eligibility] = await readEligibility(appId, [candidate]);
    if (!eligibility) throw new Error('A candidate without a verdict');
    return eligibility;
  }

  async function findName(integrationId: string | undefined): Promise<string> {
    const integration = integrationId ? await findIntegration(integrationId) : undefined;
    return integration?.name ?? '';
  }
}

function listWaits({ obstacle, isChannelPaused }: Eligibility, integration: string): string[] {
  if (obstacle === 'needs_attention') {
    return [`The integration ${integration} needs attention: the message would wait.`];
  }
  if (obstacle !== 'paused') return [];
  return [
    isChannelPaused
      ? 'The channel is paused: the message would wait.'
      : `The integration ${integration} is paused: the message would wait.`,
  ];
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

type Verdict = Pick<DryRunMessage, 'would' | 'reason' | 'detail' | 'suppression'>;

/** In the order in which a claim, and then an attempt, would find it. A message that would wait is sent later. */
function toVerdict(
  { obstacle, suppression }: Judgement,
  composed: ComposeResult<unknown>,
): Verdict {
  const failure = failingObstacles.find((reason) => reason === obstacle);
  if (failure) return fail(failure, failureReasons[failure]);
  const skip = skippingObstacles.find((reason) => reason === obstacle);
  if (skip) {
    const cause = skip === 'suppressed' && suppression ? { suppression } : {};
    return { would: 'skip', reason: skip, detail: skipReasons[skip], ...cause };
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

function listWarnings({ note }: NewMessage, composed: ComposeResult<unknown>): string[] {
  const { missing = [], notes = {} } = 'content' in composed ? composed : {};
  return [
    ...(note ? [note] : []),
    ...('language' in notes ? [String(notes['language'])] : []),
    ...(missing.length > 0
      ? [`The template reads what the data does not hold: ${missing.join(', ')}.`]
      : []),
  ];
}

/** The sender that the call names. */
function findSender(override: unknown): string | undefined {
  const members = isRecord(override) ? override : {};
  const message = isRecord(members['message']) ? members['message'] : {};
  const sender = members['sender'] ?? message['sender'];
  return typeof sender === 'string' ? sender : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toJson(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
