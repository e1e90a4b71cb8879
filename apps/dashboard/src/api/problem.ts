import type { FieldProblem } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import { createChoice } from './schemas';

/** The body of every answer that is not 2xx. */
export type Problem = {
  success: false;
  /** A sentence for the operator: what is wrong and what to do. */
  error: string;
  code: ProblemCode;
  /** Error texts shown under form fields. */
  fields?: FieldProblem[];
  /** Set if a draft cannot be published. */
  publishProblems?: PublishProblem[];
  /** With `draft_changed` and `live_changed`: time and operator of the other change. */
  savedAt?: number;
  savedBy?: string | null;
  /** With `choose_account`: the accounts that the password matches. */
  accounts?: { id: string; name: string }[];
  requestId: string;
};

export type ProblemCode =
  /** 400: the request cannot be parsed: invalid JSON, invalid percent-encoding or a truncated body. */
  | 'bad_request'
  /** 401: no session, or it expired. The page shows the sign-in form. */
  | 'signed_out'
  /** 401: the e-mail address or password is wrong. */
  | 'wrong_credentials'
  /** 401: the password is right, and two-step sign-in is on. Sign in again with `code`. */
  | 'needs_code'
  /** 403: the password that confirms an action is wrong. */
  | 'wrong_password'
  /** 403: the code of the second step is wrong, or was used before. */
  | 'wrong_code'
  /** 403: the Origin header names another site. */
  | 'wrong_origin'
  /** 403: plain HTTP from another machine. */
  | 'https_required'
  /** 403: the role does not allow the action. */
  | 'not_allowed'
  /** 404: it does not exist or belongs to another account. */
  | 'not_found'
  /** 409: the name is taken. */
  | 'name_taken'
  /** 409: another operator saved first; see `savedAt` and `savedBy`. */
  | 'draft_changed'
  /** 409: another version went live first; see `savedAt` and `savedBy`. */
  | 'live_changed'
  /** 409: the current state does not allow the action. */
  | 'wrong_state'
  /** 409: the password matches in several accounts. Sign in again with the `accountId` of one of `accounts`. */
  | 'choose_account'
  /** 409: show the warning in `error`, then repeat with `confirm: true`. */
  | 'needs_confirmation'
  /** 410: the set-up link expired or was used. */
  | 'link_ended'
  /** 413 */
  | 'too_large'
  /** 415: the body is compressed, or not UTF-8. */
  | 'unsupported_media_type'
  /** 422: see `fields`. */
  | 'invalid'
  /** 422: see `publishProblems`. */
  | 'not_publishable'
  /** 422: rendering exceeds the work limit of a message; see `publishProblems`. */
  | 'too_complex'
  /** 429: too many attempts at a password or code; Retry-After holds the wait in seconds. */
  | 'too_many_tries'
  /** 503: PostgreSQL is unavailable. */
  | 'unavailable'
  | 'internal';

/** `path` is the dotted path of the field in the body: `settings.from.address`. */
export type { FieldProblem };

/** A reason why a draft cannot be published, or a warning about it. */
export const publishProblem = Type.Object({
  /** `error` prevents publishing; `warning` does not. */
  severity: createChoice(['error', 'warning']),
  /** Absent if the problem concerns the whole event. */
  channel: Type.Optional(Type.String()),
  locale: Type.Optional(Type.String()),
  /** Template field, such as `subject`. */
  field: Type.Optional(Type.String()),
  /** Line and column in the text of the field, counted from 1. */
  line: Type.Optional(Type.Integer()),
  column: Type.Optional(Type.Integer()),
  problem: Type.String(),
});
export type PublishProblem = Static<typeof publishProblem>;
