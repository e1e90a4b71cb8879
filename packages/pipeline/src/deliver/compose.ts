import type { AnyChannel, CompiledTemplate, ComposeResult } from '@belfry/channels';
import type { VersionRow } from '@belfry/database';
import type { FairQueue } from '@belfry/runtime';
import { type ChannelVersion, chooseLocale, type Data, TemplateError } from '@belfry/shared';
import { LRUCache } from 'lru-cache';
import type { AddLinks, LinkedMessage } from './links';

/** The message fields that its content depends on; data and override are JSON. */
export type ComposedMessage = LinkedMessage & {
  locale: string | undefined;
  data: string | undefined;
  override: string | undefined;
};

export type ComposeInput = {
  /** The account for fair queuing. */
  accountId: string;
  message: ComposedMessage;
  version: VersionRow;
  channelVersion: ChannelVersion;
};

/**
 * Composes a message from the template of its pinned version, in the language that `chooseLocale` returns.
 */
export type Compose = (input: ComposeInput) => Promise<ComposeResult<unknown>>;

const compiledTemplates = 500;

export function createCompose(channel: AnyChannel, queue: FairQueue, addLinks: AddLinks): Compose {
  const compiled = new LRUCache<string, Compiled>({
    max: compiledTemplates,
  });

  return async function compose({ accountId, message, version, channelVersion }) {
    const { templates } = channelVersion;
    const localeChoice = chooseLocale(message.locale, templates, version.definition.defaultLocale);
    if (!localeChoice) {
      return {
        failed: 'empty_content',
        detail: 'The version has no template in its default language.',
      };
    }
    const { locale, note } = localeChoice;
    const key = `${version.id}:${message.channel}:${locale}`;
    const template =
      compiled.get(key) ??
      (await queue.run(accountId, () => compile(key, templates[locale], locale)));
    if ('failed' in template) return template;
    const { definition } = version;
    const composed = await queue.run(accountId, () =>
      template.compose({
        ...addLinks({
          ...{ channel, message, definition, paths: template.paths },
          data: parseData(message),
        }),
        target: message.target,
        override: parseOverride(message),
        missing: definition.missing,
        isSensitive: definition.isSensitive,
      }),
    );
    return note === undefined ? composed : addNote(composed, note);
  };

  function compile(key: string, source: unknown, language: string): Compiled {
    const template = compileTemplate(channel, source, language);
    compiled.set(key, template);
    return template;
  }
}

function addNote(composed: ComposeResult<unknown>, language: string): ComposeResult<unknown> {
  return 'failed' in composed ? composed : { ...composed, notes: { ...composed.notes, language } };
}

type Compiled =
  | CompiledTemplate<unknown, unknown>
  | Extract<ComposeResult<unknown>, { failed: unknown }>;

/** A version may exceed today's limits if it was published under wider ones, or not by the dashboard. */
function compileTemplate(channel: AnyChannel, source: unknown, language: string): Compiled {
  try {
    return channel.compile(source, language);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { failed: 'rejected_content', detail: error.message };
  }
}

function parseData({ data }: ComposedMessage): Data {
  // The gateway stores only objects as data.
  return data === undefined ? {} : (JSON.parse(data) as Data);
}

function parseOverride({ override, channel }: ComposedMessage): unknown {
  if (override === undefined) return undefined;
  const byChannel: unknown = JSON.parse(override);
  return typeof byChannel === 'object' && byChannel !== null && Object.hasOwn(byChannel, channel)
    ? (byChannel as Record<string, unknown>)[channel]
    : undefined;
}
