import { canonicalizeLocale } from '@belfry/shared';
import type { ChannelDefinition, Definition, Policy } from '../../api/events';

/** Multi-line texts that get the code editor; other template fields are form fields. */
const codeFields: Record<string, 'html' | 'text'> = {
  html: 'html',
  text: 'text',
  body: 'text',
  blocks: 'text',
};

export function getCodeLanguage(field: string): 'html' | 'text' | undefined {
  return codeFields[field];
}

export function listLocales({ defaultLocale, channels }: Definition): string[] {
  const all = Object.values(channels).flatMap(({ templates }) => Object.keys(templates));
  return [defaultLocale, ...new Set(all.filter((locale) => locale !== defaultLocale))];
}

/** Why a typed language cannot be added to a list; undefined if it can or nothing is typed. */
export function findLocaleProblem(languages: readonly string[], typed: string): string | undefined {
  if (typed === '') return undefined;
  const locale = canonicalizeLocale(typed);
  if (locale === undefined || locale.length > maxLocaleCharacters) {
    return 'Enter a language tag such as de or pt-BR.';
  }
  const existing = languages.find((each) => canonicalizeLocale(each) === locale);
  return existing === undefined ? undefined : `${existing} is already in the list.`;
}

/** The length limit of the server. */
const maxLocaleCharacters = 35;

export type NewChannel = { channel: string; defaultPolicy: Policy; integrationIds: string[] };

export function withChannel(
  definition: Definition,
  { channel, defaultPolicy: policy, integrationIds }: NewChannel,
): Definition {
  const templates = { [definition.defaultLocale]: {} };
  const newChannel: ChannelDefinition = { integrationIds, templates, policy };
  return { ...definition, channels: { ...definition.channels, [channel]: newChannel } };
}

export function withoutChannel(definition: Definition, channel: string): Definition {
  const { [channel]: _, ...channels } = definition.channels;
  return { ...definition, channels };
}

function changeChannel(
  definition: Definition,
  channel: string,
  changes: Partial<ChannelDefinition>,
): Definition {
  const before = definition.channels[channel];
  if (!before) return definition;
  return {
    ...definition,
    channels: { ...definition.channels, [channel]: { ...before, ...changes } },
  };
}

export function withTemplate(
  definition: Definition,
  { channel, locale }: { channel: string; locale: string },
  template: Record<string, unknown>,
): Definition {
  const templates = { ...definition.channels[channel]?.templates, [locale]: template };
  return changeChannel(definition, channel, { templates });
}

export function withPolicy(definition: Definition, channel: string, policy: Policy): Definition {
  return changeChannel(definition, channel, { policy });
}

export function withChain(definition: Definition, channel: string, integrationIds: string[]) {
  return changeChannel(definition, channel, { integrationIds });
}

/** Adds the language to every channel, starting with the texts of the default language. */
export function withLocale(definition: Definition, locale: string): Definition {
  const { channels, defaultLocale } = definition;
  return mapChannels(
    definition,
    (templates) => ({
      ...templates,
      [locale]: templates[locale] ?? templates[defaultLocale] ?? {},
    }),
    channels,
  );
}

export function withoutLocale(definition: Definition, locale: string): Definition {
  return mapChannels(definition, ({ [locale]: _, ...remaining }) => remaining, definition.channels);
}

function mapChannels(
  definition: Definition,
  map: (templates: ChannelDefinition['templates']) => ChannelDefinition['templates'],
  channels: Definition['channels'],
): Definition {
  const entries = Object.entries(channels).map(([name, channel]) => [
    name,
    { ...channel, templates: map(channel.templates) },
  ]);
  return { ...definition, channels: Object.fromEntries(entries) };
}

/** Dotted paths in which a draft differs from the live version; at most 50. */
export function listChanges(before: unknown, after: unknown, path = ''): string[] {
  if (before === after) return [];
  if (!isRecord(before) || !isRecord(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [path];
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .flatMap((name) => listChanges(before[name], after[name], path ? `${path}.${name}` : name))
    .slice(0, maxChanges);
}

const maxChanges = 50;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
