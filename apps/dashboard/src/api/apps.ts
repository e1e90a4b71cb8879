import {
  type AppSetting,
  type AppSettings,
  colorPattern,
  listAppSettings,
  listValues,
} from '@belfry/shared';
import { type Static, type TSchema, type TUnsafe, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { createChoice, done, nameSchema, nullable, time } from './schemas';

const notAColor = 'must be a color such as #1d4ed8, in lower case';
export const notARegion = 'must be a two-letter region such as US or DE';

function createSettingSchema(setting: AppSetting): TSchema {
  // The handler checks that the region exists.
  if (setting.kind === 'region') {
    return Type.Union([Type.String(), Type.Null()], { 'x-problem': notARegion });
  }
  if (setting.kind === 'color') {
    // pattern-ignore: isColor has it as a literal, which is checked there
    const color = Type.String({ pattern: colorPattern });
    return Type.Union([color, Type.Null()], { 'x-problem': notAColor });
  }
  const rule = { 'x-problem': `must be ${listValues(setting).join(' or ')}` };
  return setting.kind === 'switch'
    ? Type.Boolean(rule)
    : Type.Union(
        setting.choices.map(({ value }) => Type.Literal(value)),
        rule,
      );
}

// One schema per key of the settings.
const settings = Object.fromEntries(
  listAppSettings().map(([key, setting]) => [key, createSettingSchema(setting)]),
) as { [Key in keyof AppSettings]: TUnsafe<AppSettings[Key]> };
const optionalSettings = Type.Partial(Type.Object(settings)).properties;

const app = Type.Object({
  ...settings,
  id: Type.String(),
  name: Type.String(),
  createdAt: time,
  /** Number of integrations in state `needs_attention`; the side bar shows it. */
  needsAttention: Type.Integer(),
  /** Number of webhook endpoints that Belfry disabled; a bar on each page shows it. */
  disabledWebhooks: Type.Integer(),
  /** When an operator paused all sending of this app; null if it is not paused. */
  sendingPausedAt: nullable(time),
  sendingPausedBy: nullable(Type.String()),
  /** The account has reached its storage limit; a bar on each page shows it. */
  isStorageFull: Type.Boolean(),
});
export type AppAnswer = Static<typeof app>;

const goingLiveItem = Type.Object({
  /** `missing`: messages would fail or callers could not call. */
  status: createChoice(['ok', 'warning', 'missing']),
  title: Type.String(),
  /** A fact, and how to change it. */
  text: Type.String(),
  /** Where to change it; null if no page of the dashboard can. */
  fix: nullable(
    Type.Object({
      page: createChoice(['events', 'integrations', 'keys', 'apps']),
      id: nullable(Type.String()),
    }),
  ),
});
export type GoingLiveItem = Static<typeof goingLiveItem>;

export const appRoutes = {
  'GET /api/apps': { access: 'viewer', answer: Type.Object({ apps: Type.Array(app) }) },
  /** Omitted settings get their defaults. */
  'POST /api/apps': {
    access: 'editor',
    body: Type.Object({ ...optionalSettings, name: nameSchema }),
    answer: app,
    audit: 'app.created',
  },
  /**
   * Omitted settings stay as they are. To go from sandbox to live, `confirmName` must be the app's name: 409
   * `needs_confirmation` otherwise.
   */
  'PATCH /api/apps/:appId': {
    access: 'editor',
    body: Type.Object({
      ...optionalSettings,
      name: Type.Optional(nameSchema),
      confirmName: Type.Optional(Type.String()),
    }),
    answer: app,
    audit: 'app.changed',
  },
  /** The checklist for live delivery: API key, gateway, inbox counters, then each channel of each live event. */
  'GET /api/apps/:appId/going-live': {
    access: 'viewer',
    answer: Type.Object({ items: Type.Array(goingLiveItem) }),
  },
  /** `confirmName` must be the app's name. */
  'DELETE /api/apps/:appId': {
    access: 'owner',
    body: Type.Object({ confirmName: Type.String() }),
    answer: done,
    audit: 'app.removed',
  },
  /** Pauses all sending of the app. */
  'POST /api/apps/:appId/pause': { access: 'editor', answer: app, audit: 'sending.paused' },
  'POST /api/apps/:appId/resume': { access: 'editor', answer: app, audit: 'sending.resumed' },
} as const satisfies Record<string, RouteSpec>;
