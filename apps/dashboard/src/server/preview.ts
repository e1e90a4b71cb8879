import type { AnyChannel, AppDefaults, Composed, Target } from '@belfry/channels';
import {
  chooseLocale,
  type Data,
  type Recipient,
  recipientFromWire,
  type VersionDefinition,
  type WireUser,
} from '@belfry/shared';
import type { ChannelPreview } from '../api/preview';
import type { PublishProblem } from '../api/problem';
import type { DefinitionFacts } from './definition';
import { inPealOrder } from './peal';
import { Refusal } from './problem';
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
  /** A setting of the app. */
  defaultRegion: string | null;
  /** The result of `checkDefinition`. */
  problems: readonly PublishProblem[];
  integrations: readonly {
    id: string;
    channel: string;
    name: string;
    state: string;
    provider: string;
    settings: Record<string, unknown>;
  }[];
};

/**
 * Each channel's content as it would be sent, by the very code that composes it. Refuses with `too_complex` what takes more
 * work than a message may.
 */
export async function previewChannels(
  input: PreviewInput,
  facts: PreviewFacts,
): Promise<ChannelPreview[]> {
  const names = Object.keys(input.definition.channels).filter(
    (name) => Object.hasOwn(facts.channels, name) && (input.only?.includes(name) ?? true),
  );
  const previews: ChannelPreview[] = [];
  for (const name of inPealOrder(names)) previews.push(await previewChannel(name, input, facts));
  return previews;
}

async function previewChannel(
  name: string,
  input: PreviewInput,
  facts: PreviewFacts,
): Promise<ChannelPreview> {
  const channel = facts.channels[name];
  const version = input.definition.channels[name];
  if (!channel || !version) throw new Error(`There is no channel ${name}`);
  const refusing = facts.problems.filter(
    (problem) =>
      problem.channel === name &&
      problem.severity === 'error' &&
      (problem.field !== undefined || problem.line !== undefined),
  );
  if (refusing.length > 0) return { channel: name, state: 'refused', problems: refusing };
  const chosen = chooseLocale(input.locale, version.templates, input.definition.defaultLocale);
  if (!chosen) {
    const detail = 'There is no template in this language, nor in the default one.';
    return { channel: name, state: 'failed', reason: 'empty_content', detail };
  }
  const found = targetOf(channel, input.user, facts);
  if ('skip' in found) {
    return { channel: name, state: 'failed', reason: found.skip, detail: found.detail };
  }
  const { locale } = chosen;
  const { accountId, compiling } = facts;
  const template = await compiling.run(accountId, () =>
    channel.compile(version.templates[locale], locale),
  );
  const composed = await compiling.run(accountId, () =>
    template.compose({
      data: input.data,
      target: found.target.address,
      override: undefined,
      missing: input.definition.missing,
      isSensitive: input.definition.isSensitive,
    }),
  );
  if ('failed' in composed && composed.failed === 'too_complex') {
    throw tooComplex({ channel: name, locale, detail: composed.detail });
  }
  return toPreview(
    { name, channel, target: found.target.address, composed, language: chosen.note },
    version.integrationIds,
    facts,
  );
}

function tooComplex({
  channel,
  locale,
  detail,
}: {
  channel: string;
  locale: string;
  detail: string;
}): Refusal {
  return new Refusal('too_complex', `${channel}, ${locale}: ${detail}`, {
    publishProblems: [{ severity: 'error', channel, locale, problem: detail }],
  });
}

/** What the user brings; else what a made-up one would. */
function targetOf(
  channel: AnyChannel,
  user: WireUser,
  app: AppDefaults,
): { target: Target } | { skip: string; detail: string } {
  const extraFields = Object.keys(channel.recipient);
  const given = firstTarget(channel, recipientFromWire(user, extraFields), app);
  if (!('skip' in given) || given.skip !== 'no_address') return given;
  return firstTarget(channel, recipientFromWire({ ...sampleUser, ...user }, extraFields), app);
}

function firstTarget(
  channel: AnyChannel,
  recipient: Recipient,
  app: AppDefaults,
): { target: Target } | { skip: string; detail: string } {
  const found = channel.findTargets(recipient, app);
  if ('skip' in found) return found;
  const [target] = found.targets;
  return target ? { target } : { skip: 'no_address', detail: 'The recipient has no address.' };
}

type Done = {
  name: string;
  channel: AnyChannel;
  target: string;
  composed: Composed<unknown>;
  /** See `chooseLocale`. */
  language: string | undefined;
};

function toPreview(
  { name, channel, target, composed, language }: Done,
  [integrationId]: string[],
  { integrations }: PreviewFacts,
): ChannelPreview {
  if ('failed' in composed) {
    return { channel: name, state: 'failed', reason: composed.failed, detail: composed.detail };
  }
  const { content, missing } = composed;
  const notes = { ...composed.notes, ...(language === undefined ? {} : { language }) };
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
