import type { AnyChannel, CompiledTemplate, Composed } from '@belfry/channels';
import type { VersionRow } from '@belfry/database';
import { type ChannelVersion, type Data, localesToTry } from '@belfry/shared';
import { LRUCache } from 'lru-cache';

/** A message as far as its content follows from it; what the caller gave is JSON. */
export type ComposedMessage = {
  channel: string;
  target: string;
  locale: string | undefined;
  data: string | undefined;
  override: string | undefined;
};

export type ComposeInput = {
  message: ComposedMessage;
  version: VersionRow;
  channelVersion: ChannelVersion;
};

/** A message's content, from the template of its pinned version in the best language there is. */
export type Compose = (input: ComposeInput) => Composed<unknown>;

const compiledTemplates = 500;

export function createCompose(channel: AnyChannel): Compose {
  const compiled = new LRUCache<string, CompiledTemplate<unknown, unknown>>({
    max: compiledTemplates,
  });

  return function compose({ message, version, channelVersion }) {
    const locale = localesToTry(message.locale, version.definition.defaultLocale).find((each) =>
      Object.hasOwn(channelVersion.templates, each),
    );
    if (locale === undefined) {
      return {
        failed: 'empty_content',
        detail: 'The version has no template in its default language.',
      };
    }
    return templateOf({ version, channelVersion, locale, name: message.channel }).compose({
      data: dataOf(message),
      target: message.target,
      override: overrideOf(message),
      missing: version.definition.missing,
    });
  };

  function templateOf(of: {
    version: VersionRow;
    channelVersion: ChannelVersion;
    locale: string;
    name: string;
  }): CompiledTemplate<unknown, unknown> {
    const key = `${of.version.id}:${of.name}:${of.locale}`;
    const known = compiled.get(key);
    if (known) return known;
    const template = channel.compile(of.channelVersion.templates[of.locale]);
    compiled.set(key, template);
    return template;
  }
}

function dataOf({ data }: ComposedMessage): Data {
  // The gateway stores nothing else under data than an object.
  return data === undefined ? {} : (JSON.parse(data) as Data);
}

function overrideOf({ override, channel }: ComposedMessage): unknown {
  if (override === undefined) return undefined;
  const byChannel: unknown = JSON.parse(override);
  return typeof byChannel === 'object' && byChannel !== null && Object.hasOwn(byChannel, channel)
    ? (byChannel as Record<string, unknown>)[channel]
    : undefined;
}
