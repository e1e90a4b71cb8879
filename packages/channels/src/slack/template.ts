import type { Json } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import { type LinkPreview, linkPreviewField } from '../link-preview';

export const slackTemplate = Type.Object({
  text: Type.Optional(
    Type.String({ title: 'Text', description: 'Generated from the blocks when empty.' }),
  ),
  blocks: Type.Optional(
    Type.String({
      title: 'Blocks',
      description: 'Block Kit as JSON, with placeholders in its texts.',
    }),
  ),
  ...linkPreviewField,
});

const wireBlock = Type.Unsafe<{ [key: string]: Json }>(
  Type.Object({}, { additionalProperties: true }),
);
const wireBlocks = Type.Array(wireBlock);

export const slackOverride = Type.Object({
  message: Type.Optional(
    Type.Object({
      text: Type.Optional(Type.String()),
      blocks: Type.Optional(Type.Union([wireBlocks, wireBlock, Type.String()])),
    }),
  ),
});

export type SlackTemplate = Static<typeof slackTemplate>;
export type SlackOverride = Static<typeof slackOverride>;

export type SlackContent = LinkPreview & {
  /** Never empty: notifications show it, even when there are blocks. */
  text: string;
  blocks?: { [key: string]: Json }[];
};
