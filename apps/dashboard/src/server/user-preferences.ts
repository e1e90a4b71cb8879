import { createValidator, type PreferencesBody, preferencesBody } from '@belfry/shared';
import type { PreferenceSwitch, UserPreferences } from '../api/users';

type Level = Pick<PreferenceSwitch, 'channel' | 'category'>;
type Scope = Pick<PreferencesBody, 'disabled' | 'channel_preferences'>;
/** Null removes the value of a level. */
export type SwitchChange = Level & { isOff: boolean | null };

/** The values of stored preferences, the least specific levels first. */
export function toUserPreferences(stored: unknown): UserPreferences {
  // Safe cast: the routes that store preferences validate them.
  const { locale, categories = {}, ...everything } = (stored ?? {}) as PreferencesBody;
  const ofCategories = Object.entries(categories).flatMap(([category, scope]) =>
    listSwitches(category, scope),
  );
  return { locale: locale || null, switches: [...listSwitches(null, everything), ...ofCategories] };
}

function listSwitches(category: string | null, scope: Scope): PreferenceSwitch[] {
  const channels = Object.entries(scope.channel_preferences ?? {});
  const all: [string | null, { disabled?: boolean }][] = [[null, scope], ...channels];
  return all.flatMap(([channel, { disabled: isOff }]) =>
    typeof isOff === 'boolean' ? [{ channel, category, isOff }] : [],
  );
}

/** Preferences with these changes. Throws `validation_failed` if they would be larger than a call of the API may store. */
export function changeSwitches(
  stored: PreferencesBody,
  changes: readonly SwitchChange[],
): PreferencesBody {
  return validate(changes.reduce(changeSwitch, stored));
}

const validate = createValidator(preferencesBody);

function changeSwitch(stored: PreferencesBody, change: SwitchChange): PreferencesBody {
  const { category, ...value } = change;
  if (category === null) return changeScope(stored, value);
  const { [category]: scope = {}, ...others } = stored.categories ?? {};
  const changed = changeScope(scope, value);
  const categories = isEmpty(changed) ? others : { ...others, [category]: changed };
  return replaceMember(stored, 'categories', categories);
}

function changeScope<S extends Scope>(scope: S, value: Omit<SwitchChange, 'category'>): S {
  const { channel, isOff } = value;
  if (channel === null) return replaceMember(scope, 'disabled', isOff ?? undefined);
  const { [channel]: _, ...others } = scope.channel_preferences ?? {};
  const channels = isOff === null ? others : { ...others, [channel]: { disabled: isOff } };
  return replaceMember(scope, 'channel_preferences', channels);
}

/** Leaves out a member without a value, so that preferences without values are empty. */
function replaceMember<T extends object>(object: T, name: keyof T, value: unknown): T {
  const { [name]: _, ...others } = object;
  const isAbsent = value === undefined || (typeof value === 'object' && isEmpty(value ?? {}));
  // The value has the type of the member.
  return (isAbsent ? others : { ...others, [name]: value }) as T;
}

const isEmpty = (object: object) => Object.keys(object).length === 0;
