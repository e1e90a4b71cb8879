import type { AppSettings } from '@belfry/shared';

/** GET api/apps */
export type AppListAnswer = { apps: AppAnswer[] };

export type AppAnswer = AppSettings & {
  id: string;
  name: string;
  createdAt: number;
  /** Integrations that need attention, for the mark in the side bar. */
  needsAttention: number;
  /** Since when an operator holds up all that it sends; null while nobody does. */
  sendingPausedAt: number | null;
  sendingPausedBy: string | null;
};

/** POST api/apps/:appId/pause and /resume: all that the app sends; answers AppAnswer. */

/** POST api/apps; answers AppAnswer. Settings that are left out have their defaults. */
export type NewAppBody = Partial<AppSettings> & { name: string };

/** PATCH api/apps/:appId; answers AppAnswer. */
export type AppChangeBody = Partial<NewAppBody>;

/** DELETE api/apps/:appId: `confirmName` must be the app's name. Answers Done. */
export type RemoveAppBody = { confirmName: string };
