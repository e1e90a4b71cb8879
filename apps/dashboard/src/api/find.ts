/** GET api/find?text=<text>&app=<appId>: exact matches of the text. Ids are searched in every app of the account. */
export type FindAnswer = { found: FindResult[] };

export type FindResult =
  | { kind: 'request' | 'message'; appId: string; requestId: string; event: string }
  | { kind: 'resend'; appId: string; resendId: string }
  /** Requests of that app that match one log filter. */
  | { kind: 'recipient' | 'idempotencyKey'; appId: string }
  | { kind: 'user'; appId: string };
