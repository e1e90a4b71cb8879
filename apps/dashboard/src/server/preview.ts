import type { AnyChannel, AppDefaults, ComposeResult, Target } from '@belfry/channels';
import type { DefinitionFacts } from '@belfry/pipeline/configure';
import type { AddLinks } from '@belfry/pipeline/operate';
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
import { sortByChannel } from './channel-order';
import { Refusal } from './problem';
import { sampleUser } from './sample';

export type PreviewInput = {
  definition: VersionDefinition;
  locale: string | undefined;
  data: Data;
  user: WireUser;
  /** If set, only these channels. */
  only: string[] | undefined;
};

export type PreviewFacts = Omit<DefinitionFacts, 'integrations'> & {
  /** Adds example links. */
  addLinks: AddLinks;
  /** App setting. */
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
 * The content of each channel, rendered by the code that composes messages. Refuses with `too_complex` if rendering
 * exceeds the work limit of a message.
 */
export async function previewChannels(
  input: PreviewInput,
  facts: PreviewFacts,
): Promise<ChannelPreview[]> {
  const names = Object.keys(input.definition.channels).filter(
    (name) => Object.hasOwn(facts.channels, name) && (input.only?.includes(name) ?? true),
  );
  const previews: ChannelPreview[] = [];
  for (const name of sortByChannel(names)) previews.push(await previewChannel(name, input, facts));
  return previews;
}

async function previewChannel(
  name: string,
  input: PreviewInput,
  facts: PreviewFacts,
): Promise<ChannelPreview> {
  const channel = facts.channels[name];
  const version = input.definition.channels[name];
  if (!channel || !version) throw new Error(`Unknown channel ${name}`);
  const blockingProblems = facts.problems.filter(
    (problem) =>
      problem.channel === name &&
      problem.severity === 'error' &&
      (problem.field !== undefined || problem.line !== undefined),
  );
  if (blockingProblems.length > 0)
    return { channel: name, state: 'refused', problems: blockingProblems };
  const localeChoice = chooseLocale(
    input.locale,
    version.templates,
    input.definition.defaultLocale,
  );
  if (!localeChoice) {
    const detail = 'There is no template in this language or the default language.';
    return { channel: name, state: 'failed', reason: 'empty_content', detail };
  }
  const result = resolveTarget(channel, input.user, facts);
  if ('skip' in result) {
    return { channel: name, state: 'failed', reason: result.skip, detail: result.detail };
  }
  const { locale } = localeChoice;
  const { accountId, compiling } = facts;
  const template = await compiling.run(accountId, () =>
    channel.compile(version.templates[locale], locale),
  );
  const composed = await compiling.run(accountId, () =>
    template.compose({
      ...facts.addLinks({
        ...{ channel, definition: input.definition, paths: template.paths, data: input.data },
        message: { channel: name, target: result.target.address },
      }),
      target: result.target.address,
      override: undefined,
      missing: input.definition.missing,
      isSensitive: input.definition.isSensitive,
    }),
  );
  if ('failed' in composed && composed.failed === 'too_complex') {
    throw tooComplex({ channel: name, locale, detail: composed.detail });
  }
  return toPreview(
    { name, channel, target: result.target.address, composed, language: localeChoice.note },
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

/** Address of the user, or of an example recipient. */
function resolveTarget(
  channel: AnyChannel,
  user: WireUser,
  app: AppDefaults,
): { target: Target } | { skip: string; detail: string } {
  const extraFields = Object.keys(channel.recipient);
  const inputTarget = findFirstTarget(channel, recipientFromWire(user, extraFields), app);
  if (!('skip' in inputTarget) || inputTarget.skip !== 'no_address') return inputTarget;
  return findFirstTarget(channel, recipientFromWire({ ...sampleUser, ...user }, extraFields), app);
}

function findFirstTarget(
  channel: AnyChannel,
  recipient: Recipient,
  app: AppDefaults,
): { target: Target } | { skip: string; detail: string } {
  const result = channel.findTargets(recipient, app);
  if ('skip' in result) return result;
  const [target] = result.targets;
  return target ? { target } : { skip: 'no_address', detail: 'The recipient has no address.' };
}

type ComposedPreview = {
  name: string;
  channel: AnyChannel;
  target: string;
  composed: ComposeResult<unknown>;
  /** See `chooseLocale`. */
  language: string | undefined;
};

function toPreview(
  { name, channel, target, composed, language }: ComposedPreview,
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
