import { type Static, Type } from '@sinclair/typebox';

/** Of an app, an event or an integration: something to see, and nothing that hides. */
export const name = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: '^[^\\s\\p{Cc}]([^\\p{Cc}]*[^\\s\\p{Cc}])?$',
  'x-problem': 'must have 1 to 128 characters, no control character, no space at its ends',
});

const delivery = Type.Union([Type.Literal('sandbox'), Type.Literal('live')], {
  'x-problem': 'must be sandbox or live',
});

export type AppInfo = {
  id: string;
  name: string;
  delivery: 'sandbox' | 'live';
  openInboxCounters: boolean;
  createdAt: string;
};

/** GET /api/apps */
export type AppList = { apps: AppInfo[] };

/** POST /api/apps, answered with an AppInfo. */
export const newAppBody = Type.Object({ name, delivery });
export type NewAppBody = Static<typeof newAppBody>;

/** PUT /api/apps/:app_id, answered with an AppInfo; what is left out stays. */
export const appChangeBody = Type.Object({
  name: Type.Optional(name),
  delivery: Type.Optional(delivery),
  openInboxCounters: Type.Optional(Type.Boolean()),
});
export type AppChangeBody = Static<typeof appChangeBody>;
