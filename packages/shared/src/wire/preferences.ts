import { type Static, Type } from '@sinclair/typebox';
import type { FieldProblem } from '../errors';
import { wirePreferences } from './recipient';
import { type Contact, toPreferencesChange } from './user';

export const preferencesBody = Type.Object(wirePreferences.properties, {
  description:
    'Replaces all stored preferences: what is absent is on again. An absent `locale` stays unchanged.',
});
export type PreferencesBody = Static<typeof preferencesBody>;

export const preferencesAnswer = Type.Object({
  ...wirePreferences.properties,
  disabled: Type.Boolean({
    description: 'Everything is off, apart from more specific preferences.',
  }),
});

/** Preferences for storage: only the members of the schema. */
export function preferencesFromWire(body: PreferencesBody): Contact {
  return toPreferencesChange(body) ?? {};
}

/** Complete, without channels that do not exist. */
export function preferencesToWire(stored: Contact, channels: readonly string[]): object {
  // Safe cast: the routes that store preferences validate them.
  const { locale, disabled = false, channel_preferences, categories } = stored as PreferencesBody;
  const entries = Object.entries(categories ?? {}).map(([slug, category]) => [
    slug,
    {
      ...(category.disabled !== undefined && { disabled: category.disabled }),
      channel_preferences: keepKnown(category.channel_preferences, channels),
    },
  ]);
  return {
    ...(locale !== undefined && { locale }),
    disabled,
    channel_preferences: keepKnown(channel_preferences, channels),
    categories: Object.fromEntries(entries),
  };
}

function keepKnown<T>(byChannel: Record<string, T> | undefined, channels: readonly string[]) {
  const existing = Object.entries(byChannel ?? {}).filter(([name]) => channels.includes(name));
  return Object.fromEntries(existing);
}

/** Channels of the body that do not exist. */
export function findUnknownChannels(
  { channel_preferences, categories }: PreferencesBody,
  channels: readonly string[],
): FieldProblem[] {
  const all: [string, object | undefined][] = [
    ['', channel_preferences],
    ...Object.entries(categories ?? {}).map(([slug, category]): [string, object | undefined] => [
      `categories.${slug}.`,
      category.channel_preferences,
    ]),
  ];
  return all.flatMap(([prefix, byChannel = {}]) =>
    Object.keys(byChannel)
      .filter((name) => !channels.includes(name))
      .map((name) => ({
        path: `${prefix}channel_preferences.${name}`,
        problem: 'is not a channel',
      })),
  );
}
