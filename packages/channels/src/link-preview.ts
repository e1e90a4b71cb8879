import { type Static, Type } from '@sinclair/typebox';

const choice = Type.Optional(
  Type.Union([Type.Literal('on'), Type.Literal('off')], {
    title: 'Link preview',
    description:
      'When empty, the provider decides. For a sensitive event, links show a preview only with `on`.',
  }),
);

/** The template field that turns link previews on or off. */
export const linkPreviewField = { link_preview: choice };

/** Whether links show a preview; undefined leaves it to the provider. */
export type LinkPreview = { linkPreview?: boolean };

/**
 * Fetching a preview opens the link and may use up a one-time link. So a sensitive event shows
 * none.
 */
export function readLinkPreview(
  template: { link_preview?: Static<typeof choice> },
  isSensitive: boolean,
): LinkPreview {
  if (template.link_preview) return { linkPreview: template.link_preview === 'on' };
  return isSensitive ? { linkPreview: false } : {};
}
