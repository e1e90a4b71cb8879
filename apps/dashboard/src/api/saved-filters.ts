/** GET api/apps/:appId/filters: by name. They belong to the app: every operator of the account has the same. */
export type SavedFilterListAnswer = { filters: SavedFilterAnswer[]; max: number };

export type SavedFilterAnswer = {
  id: string;
  name: string;
  filters: SavableFilters;
  savedBy: string | null;
  updatedAt: number;
};

/** As they stand in the address of the log. What names one person or one request is never among them. */
export type SavableFilters = Partial<Record<SavableFilter, string>>;

/** `last` is a span that ends now, such as `24h`. */
export type SavableFilter = 'from' | 'to' | 'last' | 'event' | 'channel' | 'state' | 'provider';

/** POST api/apps/:appId/filters; answers SavedFilterListAnswer. 409 `name_taken`, 409 `wrong_state` when there are too many. */
export type NewSavedFilterBody = { name: string; filters: SavableFilters };

/** PATCH api/apps/:appId/filters/:id: what is left out stays. Answers SavedFilterListAnswer. 409 `name_taken`. */
export type SavedFilterChangeBody = { name?: string; filters?: SavableFilters };
