import type { FieldProblem } from '@belfry/shared';

/** The body of every answer that is not 2xx. */
export type Problem = {
  success: false;
  /** A sentence for the person at the page: what is wrong and what is right. */
  error: string;
  code: ProblemCode;
  /** What stands under a field of the form. */
  fields?: FieldProblem[];
  /** Of a draft that may not be published. */
  publishProblems?: PublishProblem[];
  /** With `draft_changed` and `live_changed`: who saved it, and when. */
  savedAt?: number;
  savedBy?: string | null;
  /** With `choose_account`: those whose password it is. */
  accounts?: { id: string; name: string }[];
  requestId: string;
};

export type ProblemCode =
  /** 400: it cannot be read: no JSON, a wrong percent-encoding, a body that ended early. */
  | 'bad_request'
  /** 401: no session, or it ended: show the sign-in. */
  | 'signed_out'
  /** 401: e-mail or password is wrong. */
  | 'wrong_credentials'
  /** 403: the password that confirms a step is wrong. */
  | 'wrong_password'
  /** 403: the Origin header is another site's. */
  | 'wrong_origin'
  /** 403: plain HTTP from beyond this machine. */
  | 'https_required'
  /** 403: a viewer may not change anything, and some things are for owners. */
  | 'not_allowed'
  /** 404: it is not there, or another account's. */
  | 'not_found'
  /** 409: the name is taken. */
  | 'name_taken'
  /** 409: somebody else saved in between; see `savedAt` and `savedBy`. */
  | 'draft_changed'
  /** 409: another version went live in between; see `savedAt` and `savedBy`. */
  | 'live_changed'
  /** 409: it is no longer in a state in which that can be done. */
  | 'wrong_state'
  /** 409: the password is right in several accounts: sign in again with the `accountId` of one of `accounts`. */
  | 'choose_account'
  /** 409: repeat with `confirm: true` when the person has read the warning in `error`. */
  | 'needs_confirmation'
  /** 410: the set-up link ended, or was used. */
  | 'link_ended'
  /** 413 */
  | 'too_large'
  /** 415: the body is compressed, or not UTF-8. */
  | 'unsupported_media_type'
  /** 422: see `fields`. */
  | 'invalid'
  /** 422: see `publishProblems`. */
  | 'not_publishable'
  /** 422: rendering takes more work than a message may; see `publishProblems`. */
  | 'too_complex'
  /** 429: too many sign-ins; Retry-After says when. */
  | 'too_many_tries'
  /** 503: PostgreSQL is away. */
  | 'unavailable'
  | 'internal';

/** `path` is the field's place in the body, dotted: `settings.from.address`. */
export type { FieldProblem };

/** What keeps a draft from being published, or will not work once it is. */
export type PublishProblem = {
  /** `error` refuses publishing; `warning` does not. */
  severity: 'error' | 'warning';
  /** Absent for what is about the whole event. */
  channel?: string;
  locale?: string;
  /** The template's field, such as `subject`. */
  field?: string;
  /** Counted from 1, in the field's own text. */
  line?: number;
  column?: number;
  problem: string;
  /** A text to put in place of `found` at that place, where there is an obvious one. */
  fix?: { found: string; replacement: string };
};
