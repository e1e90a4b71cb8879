import type { PreferenceSwitch, UserPreferences } from '../../api/users';

export type PreferenceValue = 'not_set' | 'on' | 'off';
/** By `getLevelKey`. Levels without a value are absent. */
export type PreferenceValues = Record<string, PreferenceValue>;
type Level = Pick<PreferenceSwitch, 'channel' | 'category'>;

/** Neither slugs nor names of channels contain a slash. */
export const getLevelKey = ({ channel, category }: Level): string =>
  `${category ?? ''}/${channel ?? ''}`;

export function toPreferenceValues({ switches }: UserPreferences): PreferenceValues {
  const entries = switches.map((one) => [getLevelKey(one), one.isOff ? 'off' : 'on'] as const);
  return Object.fromEntries(entries);
}

/** The levels whose value differs. */
export function listPreferenceChanges(before: PreferenceValues, after: PreferenceValues) {
  const read = (values: PreferenceValues, key: string) => values[key] ?? 'not_set';
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => read(before, key) !== read(after, key))
    .map((key) => {
      const [category = '', channel = ''] = key.split('/');
      const value = read(after, key);
      const isOff = value === 'not_set' ? null : value === 'off';
      return { category: category || null, channel: channel || null, isOff };
    });
}

/** Whether optional events without a category are off on a channel. */
export function isChannelOff({ switches }: UserPreferences, channel: string): boolean {
  const find = (name: string | null) =>
    switches.find((one) => one.category === null && one.channel === name);
  return (find(channel) ?? find(null))?.isOff ?? false;
}

export function formatPreferences({ switches }: UserPreferences): string {
  if (switches.length === 0) return 'everything is on';
  return `${switches.map(formatSwitch).join(', ')}. Mandatory events are still sent.`;
}

function formatSwitch({ channel, category, isOff }: PreferenceSwitch): string {
  const what = category === null ? (channel ?? 'everything') : `category “${category}”`;
  const where = category !== null && channel !== null ? ` for ${channel}` : '';
  return `${what} is ${isOff ? 'off' : 'on'}${where}`;
}
