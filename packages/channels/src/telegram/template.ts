import { type Static, Type } from '@sinclair/typebox';
import { type LinkPreview, linkPreviewField } from '../link-preview';

const silence = {
  disable_notification: Type.Optional(
    Type.Boolean({ title: 'Silent', description: 'Arrives without a sound.' }),
  ),
};

export const telegramTemplate = Type.Object({
  text: Type.String({
    title: 'Text',
    description: 'Telegram’s HTML: b, i, u, s, a, code, pre, blockquote, tg-spoiler.',
  }),
  ...silence,
  ...linkPreviewField,
});

export const telegramOverride = Type.Object({
  message: Type.Optional(
    Type.Object({
      text: Type.Optional(Type.String()),
      ...silence,
      disable_link_preview: Type.Optional(
        Type.Boolean({ description: 'Takes precedence over the template; false shows a preview.' }),
      ),
    }),
  ),
});

export type TelegramTemplate = Static<typeof telegramTemplate>;
export type TelegramOverride = Static<typeof telegramOverride>;

export type TelegramContent = LinkPreview & {
  /** Telegram's HTML, with every value escaped. */
  text: string;
  disableNotification?: boolean;
};
