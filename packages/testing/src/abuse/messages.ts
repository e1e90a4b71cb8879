import { type ChannelName, channels } from '@belfry/channels';
import type { Data, VersionDefinition } from '@belfry/shared';
import { holdPolicy } from '../attacks/target';
import { buildData, type Gene } from './genes';

/** A message as a caller and an author would make it together. */
export type AbuseMessage = {
  channel: string;
  definition: VersionDefinition;
  data: Data;
  override: unknown;
  /** What it was made of, to be told where it misses a goal. */
  gene: Gene;
};

const maxFieldCharacters = 64 * 1024;
const maxTags = 2_000;
/** What the dashboard takes of a body, less the data. */
const maxTemplateCharacters = 600_000;

export function createMessage(gene: Gene): AbuseMessage {
  const { channel, missing, languages } = gene;
  const template = fillTemplate(gene);
  const size = JSON.stringify(template).length;
  const count = Math.max(1, Math.min(languages, Math.floor(maxTemplateCharacters / size)));
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
      // The policy's words are those of the schema.
      channels: { [channel]: version } as VersionDefinition['channels'],
    },
    data: buildData(gene),
    override: createOverride(gene),
    gene,
  };
}

function createOverride({ channel, overrideCharacters, data }: Gene): unknown {
  if (overrideCharacters === 0) return undefined;
  const text = data.character.repeat(Math.min(overrideCharacters, maxFieldCharacters));
  const message = { text, title: text, body: text, subject: text, html_body: `<p>${text}</p>` };
  return { [channel]: { message } };
}

/** How so many fields with the same source stand in a channel's template; a new channel needs a row. */
const fills: Record<ChannelName, (gene: Gene) => Record<string, unknown>> = {
  email: (gene) => {
    const source = createSource(gene, 1);
    const copies = createSource({ ...gene, pieces: gene.pieces.slice(0, 1) }, gene.fields);
    return {
      subject: source,
      html: `<p>${source}</p>`,
      ...(gene.fields > 1 ? { text: source, reply_to: copies } : {}),
      ...(gene.fields > 4 ? { cc: Array(Math.min(50, gene.fields)).fill(copies) } : {}),
      ...(gene.fields > 60 ? { bcc: Array(Math.min(50, gene.fields - 50)).fill(copies) } : {}),
    };
  },
  slack: (gene) => {
    const text = createSource(gene, gene.fields);
    const blocks = Array.from({ length: Math.min(gene.fields, mostBlocks(text)) }, () => {
      return { type: 'divider', x: text };
    });
    return { text: createSource(gene, 1), blocks: JSON.stringify(blocks) };
  },
  sms: (gene) => ({ text: createSource(gene, 1) }),
  whatsapp: (gene) => {
    if (gene.fields === 1) return { text: createSource(gene, 1) };
    const value = createSource(gene, gene.fields);
    return {
      template: {
        ...{ name: 'abuse', language: 'en' },
        parameters: Array.from({ length: Math.min(100, gene.fields) }, () => ({ value })),
      },
    };
  },
  telegram: (gene) => ({ text: createSource(gene, 1) }),
  push: fillNotification,
  onesignal: fillNotification,
  in_app: fillNotification,
};

function fillNotification(gene: Gene): Record<string, unknown> {
  const source = createSource(gene, gene.fields);
  const keys = Array.from({ length: Math.min(100, gene.fields) }, (_, index) => `k${index}`);
  return {
    title: source,
    body: source,
    data: Object.fromEntries(keys.map((key) => [key, source])),
  };
}

function fillTemplate(gene: Gene): Record<string, unknown> {
  if (!Object.hasOwn(channels, gene.channel)) throw new Error(`No channel ${gene.channel}`);
  // Just checked.
  return fills[gene.channel as ChannelName](gene);
}

/** The pieces as often as one of so many fields may hold them. */
function createSource({ pieces, repeats }: Gene, fields: number): string {
  const piece = pieces.join('');
  const room = Math.min(maxFieldCharacters - 16, maxTemplateCharacters / Math.min(fields, 100));
  const tags = piece.split('{{').length;
  const most = Math.min(Math.floor(room / piece.length), Math.floor(maxTags / tags));
  return piece.repeat(Math.max(1, Math.min(repeats, most)));
}

/** Blocks are one JSON text of 64 KB. */
function mostBlocks(text: string): number {
  const each = JSON.stringify({ type: 'divider', x: text }).length + 1;
  return Math.max(1, Math.floor((maxFieldCharacters - 16) / each));
}
