import type { AnyChannel, Composed, Target } from '@belfry/channels';
import {
  type Data,
  localesToTry,
  type Recipient,
  recipientFromWire,
  type VersionDefinition,
  type WireUser,
} from '@belfry/shared';
import type { ChannelPreview } from '../api/preview';
import { checkDefinition, type DefinitionFacts } from './definition';
import { inPealOrder } from './peal';
import { sampleUser } from './sample';

export type PreviewInput = {
  definition: VersionDefinition;
  locale: string | undefined;
  data: Data;
  user: WireUser;
  /** Only these, where it is given. */
  only: string[] | undefined;
};

export type PreviewFacts = Omit<DefinitionFacts, 'integrations'> & {
  integrations: readonly {
    id: string;
    channel: string;
    name: string;
    state: string;
    provider: string;
    settings: Record<string, unknown>;
  }[];
};

/** Each channel's content as it would be sent, by the very code that composes it. */
export function previewChannels(input: PreviewInput, facts: PreviewFacts): ChannelPreview[] {
  const names = Object.keys(input.definition.channels).filter(
    (name) => Object.hasOwn(facts.channels, name) && (input.only?.includes(name) ?? true),
  );
  return inPealOrder(names).map((name) => previewChannel(name, input, facts));
}

function previewChannel(name: string, input: PreviewInput, facts: PreviewFacts): ChannelPreview {
  const channel = facts.channels[name];
  const version = input.definition.channels[name];
  if (!channel || !version) throw new Error(`There is no channel ${name}`);
  const { problems } = checkDefinition(only(input.definition, name), facts);
  const refusing = problems.filter(
    ({ severity, field, line }) =>
      severity === 'error' && (field !== undefined || line !== undefined),
  );
  if (refusing.length > 0) return { channel: name, state: 'refused', problems: refusing };
  const locale = localesToTry(input.locale, input.definition.defaultLocale).find((each) =>
    Object.hasOwn(version.templates, each),
  );
  if (locale === undefined) {
    const detail = 'There is no template in this language, nor in the default one.';
    return { channel: name, state: 'failed', reason: 'empty_content', detail };
  }
  const found = targetOf(channel, input.user);
  if ('skip' in found) {
    return { channel: name, state: 'failed', reason: found.skip, detail: found.detail };
  }
  const composed = channel.compile(version.templates[locale]).compose({
    data: input.data,
    target: found.target.address,
    override: undefined,
    missing: input.definition.missing,
  });
  return toPreview(
    { name, channel, target: found.target.address, composed },
    version.integrationIds,
    facts,
  );
}

function only(definition: VersionDefinition, name: string): VersionDefinition {
  const kept = Object.entries(definition.channels).filter(([each]) => each === name);
  return { ...definition, channels: Object.fromEntries(kept) };
}

/** What the user brings; else what a made-up one would. */
function targetOf(
  channel: AnyChannel,
  user: WireUser,
): { target: Target } | { skip: string; detail: string } {
  const extraFields = Object.keys(channel.recipient);
  const given = firstTarget(channel, recipientFromWire(user, extraFields));
  if (!('skip' in given) || given.skip !== 'no_address') return given;
  return firstTarget(channel, recipientFromWire({ ...sampleUser, ...user }, extraFields));
}

function firstTarget(
  channel: AnyChannel,
  recipient: Recipient,
): { target: Target } | { skip: string; detail: string } {
  const found = channel.findTargets(recipient);
  if ('skip' in found) return found;
  const [target] = found.targets;
  return target ? { target } : { skip: 'no_address', detail: 'The recipient has no address.' };
}

type Done = { name: string; channel: AnyChannel; target: string; composed: Composed<unknown> };

function toPreview(
  { name, channel, target, composed }: Done,
  [integrationId]: string[],
  { integrations }: PreviewFacts,
): ChannelPreview {
  if ('failed' in composed) {
    return { channel: name, state: 'failed', reason: composed.failed, detail: composed.detail };
  }
  const { content, missing, notes = {} } = composed;
  const integration = integrations.find(({ id }) => id === integrationId);
  const provider = integration?.provider ?? Object.keys(channel.providers)[0] ?? '';
  const request =
    channel.providers[provider]?.describe({
      messageId: 'preview',
      target,
      content,
      settings: integration?.settings ?? {},
    }) ?? null;
  return { channel: name, state: 'rendered', target, content, missing, notes, request };
}
