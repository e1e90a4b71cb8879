import type { ChannelDefinition, Definition } from '../../api/events';
import { duration } from '../format';

/** A value of a version as text, before and after; undefined if absent. */
export type ComparedField = { name: string; before: string | undefined; after: string | undefined };

export type ComparedSection = {
  /** `event`, or a channel. */
  name: string;
  change: 'added' | 'removed' | 'changed' | 'same';
  /** Only the fields that differ. */
  fields: ComparedField[];
  /** Number of equal fields. */
  same: number;
};

export type CompareOptions = {
  /** In display order. */
  channels: readonly string[];
  integrationName: (id: string) => string;
};

/** Differences of two versions: event settings first, then each channel. */
export function compareVersions(
  before: Definition | undefined,
  after: Definition,
  { channels, integrationName }: CompareOptions,
): ComparedSection[] {
  const own = { ...before?.channels, ...after.channels };
  const knownChannels = channels.filter((name) => name in own);
  const otherChannels = Object.keys(own).filter((name) => !channels.includes(name));
  return [
    compareSection('event', before && eventFields(before), eventFields(after)),
    ...[...knownChannels, ...otherChannels].map((name) => {
      const getFields = (channel: ChannelDefinition | undefined) =>
        channel && channelFields(channel, integrationName);
      return compareSection(
        name,
        getFields(before?.channels[name]),
        getFields(after.channels[name]),
      );
    }),
  ];
}

type Fields = Record<string, string>;

function compareSection(
  name: string,
  before: Fields | undefined,
  after: Fields | undefined,
): ComparedSection {
  const names = Object.keys({ ...after, ...before });
  const all = names.map((field) => {
    return { name: field, before: before?.[field], after: after?.[field] };
  });
  const fields = all.filter((field) => field.before !== field.after);
  return {
    name,
    change: getChange(before, after, fields.length),
    fields,
    same: all.length - fields.length,
  };
}

function getChange(before: unknown, after: unknown, differing: number): ComparedSection['change'] {
  if (!before) return 'added';
  if (!after) return 'removed';
  return differing > 0 ? 'changed' : 'same';
}

function eventFields({ defaultLocale, missing, isSensitive, kind, category }: Definition): Fields {
  return {
    'default language': defaultLocale,
    'a missing value': missing === 'reject' ? 'fails the message' : 'renders as empty',
    sensitive: isSensitive ? 'yes' : 'no',
    ...(kind && { kind }),
    ...(category && { category }),
  };
}

const unknownLabels = {
  resend: 'resend',
  resend_next: 'resend through the next integration',
  hold: 'keep as unknown',
};

function channelFields(
  { integrationIds, templates, policy }: ChannelDefinition,
  integrationName: CompareOptions['integrationName'],
): Fields {
  const { attempts, timeToLiveMs, onUnknown, unknownResends } = policy;
  return {
    ...templateFields(templates),
    'sent through': integrationIds.map(integrationName).join('\n') || 'no integration',
    attempts: String(attempts),
    'time to live': duration(timeToLiveMs),
    'after an unknown outcome': unknownLabels[onUnknown],
    'maximum resends': unknownResends === undefined ? 'channel default' : `${unknownResends}`,
  };
}

function templateFields(templates: ChannelDefinition['templates']): Fields {
  const entries = Object.entries(templates).flatMap(([locale, template]) =>
    Object.entries(template).map(([field, value]) => [`${locale} ${field}`, toText(value)]),
  );
  return Object.fromEntries(entries);
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
