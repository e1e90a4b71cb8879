import { operatorInput } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { createChoice, done, nameSchema, nullable, time } from './schemas';

const { appSettingSchemas } = operatorInput;

const optionalSettings = Type.Partial(Type.Object(appSettingSchemas)).properties;

const app = Type.Object({
  ...appSettingSchemas,
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
