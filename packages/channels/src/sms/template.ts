import { type Static, Type } from '@sinclair/typebox';

export const smsTemplate = Type.Object({
  text: Type.String({ title: 'Text' }),
  plain_characters: Type.Optional(
    Type.Boolean({
      title: 'Plain characters',
      description:
        'Puts plain characters in place of typographic quotes, dashes and spaces: one of them halves what fits into a segment.',
      default: false,
    }),
  ),
});

const sender = Type.Optional(Type.String({ maxLength: 64 }));

export const smsOverride = Type.Object({
  sender,
  message: Type.Optional(
    Type.Object({
      text: Type.Optional(Type.String()),
      /** Where older clients write the sender; the outer one wins. */
      sender,
    }),
  ),
});

export type SmsTemplate = Static<typeof smsTemplate>;
export type SmsOverride = Static<typeof smsOverride>;

export type SmsContent = {
  text: string;
  /** In place of the integration's; the provider knows what it may be. */
  sender?: string;
};
