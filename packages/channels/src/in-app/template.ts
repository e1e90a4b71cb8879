import type { Json } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';

export const inAppLimits = {
  titleCharacters: 200,
  bodyCharacters: 4_000,
  linkCharacters: 2_048,
  /** 16 KB, as JSON. */
  dataBytes: 16 * 1024,
  dataKeys: 100,
} as const;

const clickAction = {
  title: 'Link',
  description: 'The link that a click opens: an http, https or relative URL.',
};
const image = { title: 'Image', description: 'An http, https or relative URL.' };

export const inAppTemplate = Type.Object({
  title: Type.Optional(Type.String({ title: 'Title', description: 'One line of plain text.' })),
  body: Type.Optional(Type.String({ title: 'Body', description: 'Plain text.' })),
  click_action: Type.Optional(Type.String(clickAction)),
  image: Type.Optional(Type.String(image)),
  data: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      title: 'Data',
      description: 'Extra data for the front end. Each value is a template.',
      maxProperties: inAppLimits.dataKeys,
    }),
  ),
});

export const inAppOverride = Type.Object({
  message: Type.Optional(
    Type.Object({
      title: Type.Optional(Type.String()),
      body: Type.Optional(Type.String()),
      click_action: Type.Optional(Type.String(clickAction)),
      image: Type.Optional(Type.String(image)),
      data: Type.Optional(
        Type.Unsafe<{ [key: string]: Json }>(
          Type.Object({}, { additionalProperties: true, maxProperties: inAppLimits.dataKeys }),
        ),
      ),
    }),
  ),
});

export type InAppTemplate = Static<typeof inAppTemplate>;
export type InAppOverride = Static<typeof inAppOverride>;

/** The inbox item's content, under the names that front ends read. */
export type InAppContent = {
  title: string;
  body: string;
  click_action?: string;
  image?: string;
  data: { [key: string]: Json };
};
