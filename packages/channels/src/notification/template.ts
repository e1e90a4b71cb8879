import type { Json } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';

/** The template fields that phone and browser notifications share. */
const texts = {
  title: Type.Optional(Type.String({ title: 'Title', description: 'One line of plain text.' })),
  body: Type.Optional(Type.String({ title: 'Body', description: 'Plain text.' })),
  image: Type.Optional(
    Type.String({ title: 'Image', description: 'The http or https URL of an image.' }),
  ),
  click_action: Type.Optional(
    Type.String({
      title: 'Link',
      description: 'The link that a tap opens: a URL, or an app link such as shop://orders/7.',
    }),
  ),
};

const maxDataKeys = 100;

export const notificationTemplate = Type.Object({
  ...texts,
  data: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      title: 'Data',
      description: 'Extra data for the app. Each value is a template.',
      maxProperties: maxDataKeys,
    }),
  ),
});

export const notificationOverride = Type.Object({
  ...texts,
  data: Type.Optional(
    Type.Unsafe<{ [key: string]: Json }>(
      Type.Object({}, { additionalProperties: true, maxProperties: maxDataKeys }),
    ),
  ),
});

export type NotificationTemplate = Static<typeof notificationTemplate>;
export type NotificationOverride = Static<typeof notificationOverride>;

export type NotificationContent = {
  title: string;
  body: string;
  image?: string;
  click_action?: string;
  data: { [key: string]: Json };
};
