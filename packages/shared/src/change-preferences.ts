import { getOwn } from './get-own';
import { isSwitchedOff, type OptOut } from './preferences';
import type { PreferencesBody } from './wire/preferences';
import { readPreferences } from './wire/recipient';

type Scope = Pick<PreferencesBody, 'disabled' | 'channel_preferences'>;

/** Switches one level of stored preferences off or on. */
export function setSwitch(
  stored: PreferencesBody,
  { channel, category }: OptOut,
  disabled: boolean,
): PreferencesBody {
  if (category === null) return { ...stored, ...setIn(stored, channel, disabled) };
  const scope = setIn(getOwn(stored.categories ?? {}, category) ?? {}, channel, disabled);
  return { ...stored, categories: { ...stored.categories, [category]: scope } };
}

function setIn(scope: Scope, channel: string | null, disabled: boolean): Scope {
  if (channel === null) return { ...scope, disabled };
  return {
    ...scope,
    channel_preferences: { ...scope.channel_preferences, [channel]: { disabled } },
  };
}

/** Everything is off, and nothing more specific is on. */
export function switchEverythingOff({ locale }: PreferencesBody): PreferencesBody {
  return { ...(locale === undefined ? {} : { locale }), disabled: true };
}

/** A person's choice for a channel of a category, or for the channel if the category is null. */
export type Choice = { channel: string; category: string | null; isOn: boolean };

/** Writes only what differs, so that choices which the person did not change follow the less specific levels as before. */
export function applyChoices(stored: PreferencesBody, choices: readonly Choice[]): PreferencesBody {
  // A channel's own switch comes first: it also changes categories without a switch.
  const ordered = [
    ...choices.filter(({ category }) => category === null),
    ...choices.filter(({ category }) => category !== null),
  ];
  return ordered.reduce(
    (changed, { isOn, ...level }) =>
      isSwitchedOff(readPreferences(changed) ?? {}, level) === isOn
        ? setSwitch(changed, level, !isOn)
        : changed,
    stored,
  );
}
