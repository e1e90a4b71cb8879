/**
 * GET api/apps/:appId/filters: sorted by name. Filters belong to the app and are shared by all operators of the
 * account.
 */
export type SavedFilterListAnswer = { filters: SavedFilterAnswer[]; max: number };

export type SavedFilterAnswer = {
  id: string;
  name: string;
  filters: SavableFilters;
  savedBy: string | null;
  updatedAt: number;
};

/** Filters as in the URL of the log, without those that identify one person or one request. */
export type SavableFilters = Partial<Record<SavableFilter, string>>;

/** `last` is a period that ends now, such as `24h`. */
export type SavableFilter = 'from' | 'to' | 'last' | 'event' | 'channel' | 'state' | 'provider';

/**
 * POST api/apps/:appId/filters; answers SavedFilterListAnswer. 409 `name_taken`, 409 `wrong_state` if there are too
 * many.
 */
export type NewSavedFilterBody = { name: string; filters: SavableFilters };

/** PATCH api/apps/:appId/filters/:id: omitted fields are kept. Answers SavedFilterListAnswer. 409 `name_taken`. */
export type SavedFilterChangeBody = { name?: string; filters?: SavableFilters };
