/** GET api/find?text=<text>&app=<appId>: what is called just that. Ids are looked for in every app of the account. */
export type FindAnswer = { found: FindResult[] };

export type FindResult =
  | { kind: 'request' | 'message'; appId: string; requestId: string; event: string }
  | { kind: 'resend'; appId: string; resendId: string }
  /** Requests of that app by a filter of the log. */
  | { kind: 'recipient' | 'idempotencyKey'; appId: string }
  | { kind: 'user'; appId: string };
