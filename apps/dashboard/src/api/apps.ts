export type Delivery = 'sandbox' | 'live';

/** GET api/apps */
export type AppListAnswer = { apps: AppAnswer[] };

export type AppAnswer = {
  id: string;
  name: string;
  delivery: Delivery;
  /** Two letters (ISO 3166-1): phone numbers without country code are read in it. */
  defaultRegion: string | null;
  createdAt: number;
  /** Integrations that need attention, for the mark in the side bar. */
  needsAttention: number;
  /** Since when an operator holds up all that it sends; null while nobody does. */
  sendingPausedAt: number | null;
  sendingPausedBy: string | null;
};

/** POST api/apps/:appId/pause and /resume: all that the app sends; answers AppAnswer. */

/** POST api/apps; answers AppAnswer. `delivery` is `sandbox` unless it says otherwise. */
export type NewAppBody = { name: string; delivery?: Delivery; defaultRegion?: string };

/** PATCH api/apps/:appId; answers AppAnswer. An empty `defaultRegion` takes it away. */
export type AppChangeBody = Partial<NewAppBody>;

/** DELETE api/apps/:appId: `confirmName` must be the app's name. Answers Done. */
export type RemoveAppBody = { confirmName: string };
