import type { AppSettings } from '@belfry/shared';

/** GET api/apps */
export type AppListAnswer = { apps: AppAnswer[] };

export type AppAnswer = AppSettings & {
  id: string;
  name: string;
  createdAt: number;
  /** Number of integrations in state `needs_attention`; the side bar shows it. */
  needsAttention: number;
  /** When an operator paused all sending of this app; null if it is not paused. */
  sendingPausedAt: number | null;
  sendingPausedBy: string | null;
};

/** POST api/apps/:appId/pause and /resume: pauses or resumes all sending of the app. Answers AppAnswer. */

/** POST api/apps; answers AppAnswer. Omitted settings get their defaults. */
export type NewAppBody = Partial<AppSettings> & { name: string };

/** PATCH api/apps/:appId; answers AppAnswer. */
export type AppChangeBody = Partial<NewAppBody>;

/** DELETE api/apps/:appId: `confirmName` must be the app's name. Answers Done. */
export type RemoveAppBody = { confirmName: string };
