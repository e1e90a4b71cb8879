import { channels } from '@belfry/channels';
import type { Data, VersionDefinition } from '@belfry/shared';
import { holdPolicy } from '../attacks/target';
import { buildData, type Gene } from './genes';

/** A message: a caller's data and an author's template. */
export type AbuseMessage = {
  channel: string;
  definition: VersionDefinition;
  data: Data;
  override: unknown;
  /** The gene that made it, to report when it misses a goal. */
  gene: Gene;
};

/** Slightly below the limits of docs/reference/templates.md. Anything above them is refused before it costs anything. */
const maxFieldCharacters = 64_000;
const maxTemplateCharacters = 128_000;
const maxTags = 990;
const maxTokens = 2_950;
/** The dashboard's body limit, less the data. */
const maxBodyCharacters = 600_000;

export function createMessage(gene: Gene): AbuseMessage {
  const { channel, missing, languages } = gene;
  const template = fillTemplate({ ...gene, fields: Math.min(gene.fields, mostFields(gene)) });
  const size = JSON.stringify(template).length;
  const count = Math.max(1, Math.min(languages, Math.floor(maxBodyCharacters / size)));
  const templates = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [index === 0 ? 'en' : `en-x${index}`, template]),
  );
  const version = { integrationIds: [], templates, policy: holdPolicy };
  return {
    channel,
    definition: {
      defaultLocale: 'en',
      missing,
      isSensitive: false,
      // The schema uses the same names of policies.
      channels: { [channel]: version } as VersionDefinition['channels'],
    },
    data: buildData(gene),
    override: createOverride(gene),
    gene,
  };
}

/** The number of fields that can hold the pieces once, within the characters of a template. */
function mostFields({ pieces }: Gene): number {
  return Math.max(1, Math.floor(maxTemplateCharacters / pieces.join('').length));
}

function createOverride({ channel, overrideCharacters, data }: Gene): unknown {
  if (overrideCharacters === 0) return undefined;
  const text = data.character.repeat(Math.min(overrideCharacters, maxFieldCharacters));
  const message = { text, title: text, body: text, subject: text, html_body: `<p>${text}</p>` };
  return { [channel]: { message } };
}

/** Gives this many fields of a template the same source, if the channel has more than one field. */
const fills: Partial<Record<string, (gene: Gene) => Record<string, unknown>>> = {
  email: fillEmail,
  slack: fillSlack,
  whatsapp: fillWhatsapp,
  push: fillNotification,
  onesignal: fillNotification,
  in_app: fillNotification,
};

const mostCopies = 50;

function fillEmail(gene: Gene): Record<string, unknown> {
  const count = Math.min(gene.fields, 3 + 2 * mostCopies);
  const source = createSource(gene, count);
  const copies = (from: number) =>
    Array<string>(Math.max(0, Math.min(mostCopies, count - from))).fill(source);
  return {
    subject: count > 2 ? source : 'Hello',
    html: `<p>${source}</p>`,
    ...(count > 1 ? { text: source } : {}),
    cc: copies(3),
    bcc: copies(3 + mostCopies),
  };
}

function fillSlack(gene: Gene): Record<string, unknown> {
  if (gene.fields === 1) return { text: createSource(gene, 1) };
  const text = createSource(gene, gene.fields);
  const count = Math.min(gene.fields, mostBlocks(text));
  const blocks = Array.from({ length: count }, () => ({ type: 'divider', x: text }));
  return { text: 'Hello', blocks: JSON.stringify(blocks) };
}

function fillWhatsapp(gene: Gene): Record<string, unknown> {
  if (gene.fields === 1) return { text: createSource(gene, 1) };
  const count = Math.min(100, gene.fields);
  const value = createSource(gene, count);
  const parameters = Array.from({ length: count }, () => ({ value }));
  return { template: { name: 'abuse', language: 'en', parameters } };
}

function fillNotification(gene: Gene): Record<string, unknown> {
  const count = Math.min(100, gene.fields);
  const source = createSource(gene, count);
  const keys = Array.from({ length: Math.max(0, count - 2) }, (_, index) => `k${index}`);
  return {
    title: source,
    ...(count > 1 ? { body: source } : {}),
    data: Object.fromEntries(keys.map((key) => [key, source])),
  };
}

function fillTemplate(gene: Gene): Record<string, unknown> {
  if (!Object.hasOwn(channels, gene.channel)) throw new Error(`Unknown channel ${gene.channel}`);
  return fills[gene.channel]?.(gene) ?? { text: createSource(gene, 1) };
}

/** Repeats the pieces as often as each of the fields can hold them. */
function createSource({ pieces, repeats }: Gene, fields: number): string {
  const piece = pieces.join('');
  const inTags = (piece.match(/\{\{.*?\}\}/gs) ?? []).join('');
  const most = Math.min(
    maxFieldCharacters / piece.length,
    maxTemplateCharacters / fields / piece.length,
    maxTags / fields / Math.max(1, piece.split('{{').length - 1),
    maxTokens / fields / Math.max(1, (inTags.match(/"[^"]*"|\w+|[.()[\]]/g) ?? []).length),
  );
  return piece.repeat(Math.max(1, Math.min(repeats, Math.floor(most))));
}

/** Blocks are one JSON text of 64 KB. */
function mostBlocks(text: string): number {
  const each = JSON.stringify({ type: 'divider', x: text }).length + 1;
  return Math.max(1, Math.floor((maxFieldCharacters - 16) / each));
}
