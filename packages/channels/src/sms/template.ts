import { type Static, Type } from '@sinclair/typebox';

export const smsTemplate = Type.Object({
  text: Type.String({ title: 'Text' }),
  plain_characters: Type.Optional(
    Type.Boolean({
      title: 'Plain characters',
      description:
        'Replaces typographic quotes, dashes and spaces by plain characters. A single typographic one halves the capacity of a segment.',
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
      /** Older clients write the sender here; the outer one takes precedence. */
      sender,
    }),
  ),
});

export type SmsTemplate = Static<typeof smsTemplate>;
export type SmsOverride = Static<typeof smsOverride>;

export type SmsContent = {
  text: string;
  /** Replaces the integration's sender; the provider checks it. */
  sender?: string;
};
