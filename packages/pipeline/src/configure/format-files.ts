import type {
  Configuration,
  FileChannel,
  FileEvent,
  FileIntegration,
  FileWebhook,
} from './configuration';

/** The files of a folder: text by path. */
export type Files = ReadonlyMap<string, string>;

export const fileNames = {
  app: 'app.json',
  categories: 'categories.json',
  webhooks: 'webhooks.json',
  alerts: 'alerts.json',
} as const;

/** Template fields that have a file of their own, and how its name ends. */
export const textFields: Readonly<Record<string, string>> = {
  html: 'html',
  text: 'txt',
  blocks: 'blocks.txt',
};

/** The canonical files of a configuration: equal configurations have equal bytes. */
export function formatFiles(configuration: Configuration): Map<string, string> {
  const { settings, categories, integrations, events, webhooks, alerts } = configuration;
  return new Map([
    [fileNames.app, formatJson(settings)],
    [fileNames.categories, formatJson(categories)],
    [fileNames.webhooks, formatJson(sortByJson(webhooks.map(sortTypes)))],
    [fileNames.alerts, formatJson(sortByJson(alerts))],
    ...integrations.map(formatIntegration),
    ...events.flatMap(formatEvent),
  ]);
}

export function getIntegrationFile(name: string): string {
  return `integrations/${encodeName(name)}.json`;
}

export function getEventFile(name: string): string {
  return `events/${encodeName(name)}/event.json`;
}

/** The file of a template field; without a field, of all that have no file of their own. */
export function getTemplateFile(
  event: string,
  { channel, locale, field = '' }: { channel: string; locale: string; field?: string | undefined },
): string {
  const ending = Object.hasOwn(textFields, field) ? textFields[field] : 'json';
  return `events/${encodeName(event)}/${channel}.${encodeName(locale)}.${ending}`;
}

/** A name as a part of a path: letters, digits, hyphens and underscores stay, other characters are percent-encoded. */
export function encodeName(name: string): string {
  return encodeURIComponent(name).replace(
    /[.!~*'()]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Undefined if `encodeName` never writes this text. */
export function decodeName(text: string): string | undefined {
  try {
    const name = decodeURIComponent(text);
    return encodeName(name) === text ? name : undefined;
  } catch {
    return undefined;
  }
}

function sortTypes(webhook: FileWebhook): FileWebhook {
  return { ...webhook, types: [...webhook.types].sort() };
}

function formatIntegration({ name, ...fields }: FileIntegration): [string, string] {
  return [getIntegrationFile(name), formatJson(fields)];
}

function formatEvent({ name, fields, channels }: FileEvent): [string, string][] {
  const heads = Object.entries(channels).map(([channel, { integrations, policy }]) => [
    channel,
    { integrations, policy },
  ]);
  const event = { ...fields, channels: Object.fromEntries(heads) };
  return [
    [getEventFile(name), formatJson(event)],
    ...Object.entries(channels).flatMap(([channel, { templates }]) =>
      formatTemplates(name, channel, templates),
    ),
  ];
}

function formatTemplates(
  event: string,
  channel: string,
  templates: FileChannel['templates'],
): [string, string][] {
  return Object.entries(templates).flatMap(([locale, template]) => {
    const isText = ([field, value]: [string, unknown]) =>
      Object.hasOwn(textFields, field) && typeof value === 'string';
    const entries = Object.entries(template);
    const others = entries.filter((entry) => !isText(entry));
    const texts = entries.filter(isText).map(([field, value]): [string, string] => [
      getTemplateFile(event, { channel, locale, field }),
      // Editors end a file with a line break, so the first one from the end belongs to the file.
      `${value}\n`,
    ]);
    if (others.length === 0 && texts.length > 0) return texts;
    const file = getTemplateFile(event, { channel, locale });
    return [[file, formatJson(Object.fromEntries(others))], ...texts];
  });
}

/** JSON with sorted keys, two spaces and a line break at the end. */
export function formatJson(value: unknown): string {
  return `${JSON.stringify(sortKeys(value), null, 2)}\n`;
}

function sortByJson<T>(values: readonly T[]): T[] {
  const texts = values.map((value) => ({ value, text: formatJson(value) }));
  return texts.sort((a, b) => compareTexts(a.text, b.text)).map(({ value }) => value);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => compareTexts(a, b));
  return Object.fromEntries(entries.map(([key, member]) => [key, sortKeys(member)]));
}

/** By UTF-16 code units, the same in every locale. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
