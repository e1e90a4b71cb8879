import type { EventKind } from './event-version';
import { getOwn } from './get-own';
import type { Preferences } from './recipient';

/** The preference that switched something off. Null stands for every channel, and for every category. */
export type OptOut = { channel: string | null; category: string | null };

export type OptOutFacts = {
  channel: string;
  /** Kind of the event's version. */
  kind: EventKind | undefined;
  category: string | undefined;
  /** The preferences that came with the call. */
  call: Preferences | undefined;
  stored: Preferences | undefined;
};

/**
 * The preference that stops a message, or undefined. A value of the call replaces the stored one of the same level; then the
 * most specific level that has a value decides: category and channel, category, channel, everything. A mandatory event reads
 * only the call. `selectOptOut` in packages/pipeline/src/deliver/opt-out.sql.ts says the same in SQL.
 */
export function findOptOut({ kind, call, stored, ...facts }: OptOutFacts): OptOut | undefined {
  if (kind === undefined) return findOptOutBeforeKinds(facts.channel, { ...stored, ...call });
  const layers = kind === 'mandatory' ? [call] : [call, stored];
  for (const level of listLevels(facts)) {
    const isOff = layers
      .map((layer) => layer && readSwitch(layer, level))
      .find((value) => value !== undefined);
    if (isOff !== undefined) return isOff ? level : undefined;
  }
  return undefined;
}

/** Versions that were published before there were kinds keep the rule of then: either switch stops the message. */
function findOptOutBeforeKinds(channel: string, merged: Preferences): OptOut | undefined {
  const levels = [everything, { channel, category: null }];
  return levels.find((level) => readSwitch(merged, level));
}

const everything: OptOut = { channel: null, category: null };

/** The levels that apply to a channel and a category, the most specific one first. */
function listLevels({
  channel,
  category,
}: {
  channel: string | null;
  category: string | null | undefined;
}) {
  const levels: OptOut[] = [];
  if (category && channel) levels.push({ channel, category });
  if (category) levels.push({ channel: null, category });
  if (channel) levels.push({ channel, category: null });
  return [...levels, everything];
}

/** True is off, false is on, undefined is no preference at this level. */
function readSwitch(preferences: Preferences, { channel, category }: OptOut): boolean | undefined {
  const scope = category === null ? preferences : getOwn(preferences.categories ?? {}, category);
  if (channel === null) return scope?.disabled;
  return getOwn(scope?.channelPreferences ?? {}, channel)?.disabled;
}

/** Lists what a change of stored preferences switched off: the least specific levels that say it. */
export function listSwitchedOff(before: Preferences, after: Preferences): OptOut[] {
  const levels = [...listStored(before), ...listStored(after)];
  const distinct = new Map(levels.map((level) => [`${level.category} ${level.channel}`, level]));
  const switchedOff: OptOut[] = [];
  for (const level of [...distinct.values()].sort((a, b) => countFixed(a) - countFixed(b))) {
    if (isSwitchedOff(before, level) || !isSwitchedOff(after, level)) continue;
    const isCovered = switchedOff.some((wider) => covers(wider, level));
    if (readSwitch(after, level) === true || !isCovered) switchedOff.push(level);
  }
  return switchedOff;
}

/** The levels of which preferences have a value, or might. */
function listStored({ channelPreferences, categories }: Preferences): OptOut[] {
  const ofCategories = Object.entries(categories ?? {}).flatMap(([category, stored]) => [
    { channel: null, category },
    ...Object.keys(stored.channelPreferences ?? {}).map((channel) => ({ channel, category })),
  ]);
  const channels = Object.keys(channelPreferences ?? {});
  return [everything, ...channels.map((channel) => ({ channel, category: null })), ...ofCategories];
}

const countFixed = ({ channel, category }: OptOut) =>
  Number(channel !== null) + Number(category !== null);

/** Whether these preferences stop messages of a level. */
export function isSwitchedOff(preferences: Preferences, level: OptOut): boolean {
  const values = listLevels(level).map((each) => readSwitch(preferences, each));
  return values.find((value) => value !== undefined) === true;
}

function covers(wider: OptOut, { channel, category }: OptOut): boolean {
  const isSame = (a: string | null, b: string | null) => a === null || a === b;
  return isSame(wider.channel, channel) && isSame(wider.category, category);
}

/** How a person switched something off. */
export const unsubscribeSources = ['api', 'dashboard', 'link', 'reply'] as const;
export type UnsubscribeSource = (typeof unsubscribeSources)[number];

/** Values that templates may read besides `data`, which wins over them. */
export const linkNames = ['unsubscribe_url', 'preferences_url'] as const;

/** A sentence that names the preference. */
export function formatOptOut({ channel, category }: OptOut): string {
  const what = category === null ? (channel ?? 'everything') : `category “${category}”`;
  const where = category !== null && channel !== null ? ` for ${channel}` : '';
  return `Preferences of the recipient: ${what} is off${where}.`;
}

/** The slug of a category: it is part of keys and links. */
const categorySlug = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export const categorySlugPattern = categorySlug.source;

export const isCategorySlug = (text: string): boolean => categorySlug.test(text);
