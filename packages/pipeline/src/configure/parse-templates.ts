import { operatorInput } from '@belfry/shared';
import type { FileChannel } from './configuration';
import { decodeName, type Files, textFields } from './format-files';
import { type Reader, readFile } from './read-file';

const { anyObject } = operatorInput;

export type TemplateFile = { file: string; channel: string; locale: string; ending: string };

export const templatePath = /^events\/([^/]+)\/([a-z_]+)\.([^/.]+)\.(json|html|txt|blocks\.txt)$/;

/** The template files of each event, by the encoded name of the event. */
export function groupTemplates(files: Files): Map<string, TemplateFile[]> {
  const groups = new Map<string, TemplateFile[]>();
  for (const file of files.keys()) {
    const [, event = '', channel = '', locale = '', ending = ''] = templatePath.exec(file) ?? [];
    if (event === '') continue;
    const group = groups.get(event) ?? [];
    group.push({ file, channel, locale: decodeName(locale) ?? locale, ending });
    groups.set(event, group);
  }
  return groups;
}

/** The templates of one event: fields by language, by channel. */
export function parseTemplates(
  reader: Reader,
  group: readonly TemplateFile[],
  channels: readonly string[],
): ReadonlyMap<string, FileChannel['templates']> {
  const templates = new Map(channels.map((channel) => [channel, new Map<string, Fields>()]));
  for (const each of group) {
    const locales = templates.get(each.channel);
    if (!locales) {
      reader.report(each.file, 'belongs to a channel that event.json does not have');
      continue;
    }
    const fields = each.ending === 'json' ? readFields(reader, each.file) : readText(reader, each);
    locales.set(each.locale, { ...locales.get(each.locale), ...fields });
  }
  return new Map([...templates].map(([channel, each]) => [channel, Object.fromEntries(each)]));
}

type Fields = Record<string, unknown>;

function readFields(reader: Reader, file: string): Record<string, unknown> {
  const fields = readFile(reader, file, anyObject) ?? {};
  for (const [field, ending] of Object.entries(textFields)) {
    if (typeof fields[field] !== 'string') continue;
    reader.report(file, `${field} must be in a file of its own that ends with .${ending}`);
  }
  return fields;
}

function readText({ files }: Reader, { file, ending }: TemplateFile): Record<string, string> {
  const field = Object.keys(textFields).find((name) => textFields[name] === ending) ?? '';
  return { [field]: (files.get(file) ?? '').replace(/\n$/, '') };
}
