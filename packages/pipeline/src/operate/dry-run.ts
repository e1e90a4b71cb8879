import type { AnyChannel, ComposeResult, Notes, ProviderRequest } from '@belfry/channels';
import type { UserRow, VersionRow } from '@belfry/database';
import type { FairQueue } from '@belfry/runtime';
import {
  AppError,
  failureReasons,
  formatOptOut,
  type Recipient,
  skipReasons,
  type WireItem,
} from '@belfry/shared';
import { createFindLive, type FindLiveDeps } from '../accept/accept';
import type { NewMessage, Skip } from '../accept/item-plan';
import type { Plan } from '../accept/plan';
import { getProvider, type PlannedCall, planCall } from '../deliver/choose-integration';
import { type Compose, createCompose } from '../deliver/compose';
import { failingObstacles, skippingObstacles } from '../deliver/eligibility.sql';
import { createPreviewLinks } from '../deliver/links';
import { narrowToTarget } from '../deliver/narrow-to-target';
import type { CurrentSuppression } from '../deliver/suppression.sql';
import { createJudge, type JudgeDeps, type Judgement } from './judge-dry-run';

export type DryRunDeps = FindLiveDeps &
  JudgeDeps & {
    channels: Record<string, AnyChannel>;
    /** Shares the work of composing out among accounts. */
    composing: FairQueue;
    /** The URL of the gateway. */
    publicUrl: string;
    findUser(appId: string, userId: string): Promise<UserRow | undefined>;
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
  /** Absent if no integration exists, unless the channel needs none. */
  provider?: string;
  dueAt?: Date;
  /** As the provider would get it, without any credential. */
  request?: ProviderRequest;
  notes?: Notes;
  /** It would be sent, but wait first; `warnings` says why. */
  wouldWait?: boolean;
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
    const input = {
      item,
      stored: await findStoredUser(app.id, item),
      definition: version.definition,
      defaultRegion: app.defaultRegion,
      now: deps.now(),
      newId: deps.newId,
    };
    const planned = deps.plan({ ...input, delivery });
    // The sandbox also captures what nothing could send.
    const { skips: liveSkips } = deps.plan({ ...input, delivery: 'live' });
    const skipped = Object.entries(planned.skips).map(
      ([channel, skip]): DryRunMessage => ({ channel, would: 'skip', ...skip, warnings: [] }),
    );
    const sent: DryRunMessage[] = [];
    for (const message of planned.messages) {
      const liveSkip = liveSkips[message.channel];
      const facts = { app, item, version, locale: planned.locale, message, liveSkip };
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
  const getComposer = createComposers(deps);
  const judge = createJudge(deps);

  return async function tryMessage(facts: MessageFacts): Promise<DryRunMessage> {
    const { message, version, locale } = facts;
    const channel = deps.channels[message.channel];
    const wholeVersion = version.definition.channels[message.channel];
    if (!channel || !wholeVersion) throw new Error(`There is no channel ${message.channel}`);
    const channelVersion = narrowToTarget(channel, wholeVersion, message.target);
    const judgement = await judge(facts, channelVersion.integrationIds);
    const integrationId = judgement.integrationId ?? channelVersion.integrationIds[0];
    const integration = integrationId ? await deps.findIntegration(integrationId) : undefined;
    const data = toJson(facts.item.data);
    const override = toJson(facts.item.override);
    const call = planCall(channel, { ...message, override }, integration);
    const composed = await getComposer(message.channel)({
      accountId: facts.app.accountId,
      message: { channel: message.channel, target: message.target, locale, data, override },
      version,
      channelVersion,
    });
    if ('failed' in composed && composed.failed === 'too_complex') {
      throw new AppError('too_complex', `${message.channel}: ${composed.detail}`);
    }
    const sender = describeSender(facts, call, integrationId);
    return {
      ...describeMessage(message, call, { channel, composed }),
      ...sender.names,
      ...toVerdict(judgement, composed),
      warnings: [...listWarnings(message, composed), ...judgement.warnings, ...sender.warnings],
    };
  };
}

/** One a channel: it keeps what it compiled. */
function createComposers({ channels, composing, publicUrl }: DryRunDeps) {
  const addLinks = createPreviewLinks(publicUrl);
  const composers = new Map(
    Object.entries(channels).map(([name, channel]) => [
      name,
      createCompose(channel, composing, addLinks),
    ]),
  );
  return function getComposer(name: string): Compose {
    const composer = composers.get(name);
    if (!composer) throw new Error(`There is no channel ${name}`);
    return composer;
  };
}

type MessageFacts = {
  app: DryRunInput['app'];
  item: WireItem;
  version: VersionRow;
  locale: string | undefined;
  message: NewMessage;
  /** Why live delivery would not plan the message, if the sandbox captures it all the same. */
  liveSkip: Skip | undefined;
};

type Verdict = Pick<DryRunMessage, 'would' | 'wouldWait' | 'reason' | 'detail' | 'suppression'>;

/** In the order in which a claim, and then an attempt, would find it. A message that would wait is sent later. */
function toVerdict(
  { obstacle, suppression, optOut, waits }: Judgement,
  composed: ComposeResult<unknown>,
): Verdict {
  const failure = failingObstacles.find((reason) => reason === obstacle);
  if (failure) return fail(failure, failureReasons[failure]);
  const skip = skippingObstacles.find((reason) => reason === obstacle);
  if (skip) {
    const cause = skip === 'suppressed' && suppression ? { suppression } : {};
    const detail = skip === 'opted_out' && optOut ? formatOptOut(optOut) : skipReasons[skip];
    return { would: 'skip', reason: skip, detail, ...cause };
  }
  if ('failed' in composed) return fail(composed.failed, composed.detail);
  return { would: 'send', wouldWait: waits.length > 0 };
}

function fail(reason: string, detail: string): Verdict {
  return { would: 'fail', reason, detail };
}

function describeMessage(
  { channel: name, target, dueAt }: NewMessage,
  { described, provider, notes }: PlannedCall,
  { channel, composed }: { channel: AnyChannel; composed: ComposeResult<unknown> },
): Omit<DryRunMessage, 'would' | 'warnings'> {
  const allNotes = 'content' in composed ? { ...composed.notes, ...notes } : { ...notes };
  return {
    channel: name,
    target,
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

/**
 * The provider of the message, and what live delivery would do without one. Without an integration, the app has no account at
 * the provider whose request is shown, so it is not named.
 */
function describeSender(
  { message, liveSkip }: MessageFacts,
  { integration, provider }: PlannedCall,
  integrationId: string | undefined,
): { names: Pick<DryRunMessage, 'integration' | 'provider'>; warnings: string[] } {
  if (integration) return { names: { integration: integration.name, provider }, warnings: [] };
  if (liveSkip) {
    return { names: {}, warnings: [`${liveSkip.detail} Live delivery would skip the message.`] };
  }
  // The channel is built in, or the recipient has an own token.
  if (integrationId === undefined) return { names: { provider }, warnings: [] };
  const isCaptured = message.integrationId === undefined;
  const removed = 'The integration was removed. Live delivery would fail the message.';
  return { names: {}, warnings: isCaptured ? [removed] : [] };
}

function toJson(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
