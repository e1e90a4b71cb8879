import { type Static, Type } from '@sinclair/typebox';

const flags = {
  disable_notification: Type.Optional(
    Type.Boolean({ title: 'Silent', description: 'Arrives without a sound.' }),
  ),
  disable_link_preview: Type.Optional(Type.Boolean({ title: 'No link preview' })),
};

export const telegramTemplate = Type.Object({
  text: Type.String({
    title: 'Text',
    description: 'In the HTML of Telegram: b, i, u, s, a, code, pre, blockquote, tg-spoiler.',
  }),
  ...flags,
});

export const telegramOverride = Type.Object({
  message: Type.Optional(Type.Object({ text: Type.Optional(Type.String()), ...flags })),
});

export type TelegramTemplate = Static<typeof telegramTemplate>;
export type TelegramOverride = Static<typeof telegramOverride>;

export type TelegramContent = {
  /** Telegram's HTML, with every value escaped. */
  text: string;
  disableNotification?: boolean;
  disableLinkPreview?: boolean;
};
