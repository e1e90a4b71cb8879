/** Every refusal of the dashboard's own: its slug, its HTTP status and when it is answered. */
export const dashboardErrors = {
  invalid_credentials: { status: 401, when: 'E-mail or password is wrong.' },
  session_required: { status: 401, when: 'Nobody is signed in, or the session has ended.' },
  origin_refused: { status: 403, when: 'A change was asked for by another site’s page.' },
  password_wrong: { status: 403, when: 'The password that was given again is wrong.' },
  setup_link_invalid: {
    status: 404,
    when: 'The set-up link is unknown, used or older than 30 min.',
  },
  session_not_found: { status: 404, when: 'The operator has no such session.' },
  key_not_found: { status: 404, when: 'The account has no such API key.' },
  integration_not_found: { status: 404, when: 'The app has no such integration.' },
  too_many_keys: { status: 409, when: 'Two keys are active: end one first.' },
  last_key: { status: 409, when: 'The key is the only active one.' },
  name_taken: { status: 409, when: 'Another one has this name.' },
  email_taken: { status: 409, when: 'An operator with this e-mail exists.' },
  draft_conflict: { status: 409, when: 'Another operator saved the event in the meantime.' },
  integration_in_use: {
    status: 409,
    when: 'Removing the integration stops channels of live events.',
  },
  publish_refused: { status: 422, when: 'The draft has problems.' },
  nothing_to_publish: { status: 409, when: 'The event has no change that is not live.' },
  too_many_attempts: {
    status: 429,
    when: 'Too many passwords were wrong; Retry-After says how long.',
  },
} as const satisfies Record<string, { status: number; when: string }>;

export type DashboardErrorCode = keyof typeof dashboardErrors;

/** The body of every error, of the dashboard's own and of those that it shares with the gateway. */
export type ErrorBody = {
  success: false;
  error: string;
  code: string;
  errors?: string[];
  /** What the page needs to go on, by code: see `ConflictDetails` and its like. */
  details?: unknown;
  request_id: string;
};
