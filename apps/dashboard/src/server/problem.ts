import { formatFieldName, toSentence } from '../api/field-problem';
import type { FieldProblem, Problem, ProblemCode } from '../api/problem';
import { formatWait } from '../api/wait-text';

/** Every error code of the dashboard API and its status. */
export const problemStatuses: Record<ProblemCode, number> = {
  bad_request: 400,
  signed_out: 401,
  wrong_credentials: 401,
  needs_code: 401,
  wrong_password: 403,
  wrong_code: 403,
  wrong_origin: 403,
  https_required: 403,
  not_allowed: 403,
  not_found: 404,
  name_taken: 409,
  draft_changed: 409,
  live_changed: 409,
  wrong_state: 409,
  choose_account: 409,
  needs_confirmation: 409,
  link_ended: 410,
  too_large: 413,
  unsupported_media_type: 415,
  invalid: 422,
  not_publishable: 422,
  too_complex: 422,
  too_many_tries: 429,
  internal: 500,
  unavailable: 503,
};

type Details = Partial<
  Pick<Problem, 'fields' | 'publishProblems' | 'savedAt' | 'savedBy' | 'accounts'>
>;

/** An error for the operator. Its message is a sentence for the page and never contains a secret. */
export class Refusal extends Error {
  readonly code: ProblemCode;
  readonly details: Details;
  readonly headers: Record<string, string>;

  constructor(
    code: ProblemCode,
    message: string,
    { headers = {}, ...details }: Details & { headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
    this.headers = headers;
  }
}

/** Somebody changed it after the form was filled. */
export function changedMeanwhile(what: string, updatedAt: Date): Refusal {
  const text = `This ${what} was changed after you opened it. Close this form and open it again.`;
  return new Refusal('draft_changed', text, { savedAt: updatedAt.getTime() });
}

export function notFound(what: string): Refusal {
  return new Refusal('not_found', `No ${what} has this ID.`);
}

/** A refusal that ends by itself. `message` says why, and a second sentence says when. */
export function refuseFor(seconds: number, code: ProblemCode, message: string): Refusal {
  return new Refusal(code, `${message} ${formatWait(seconds)}`, {
    headers: { 'Retry-After': String(seconds) },
  });
}

export const tooManyTries = (seconds: number) =>
  refuseFor(seconds, 'too_many_tries', 'Too many attempts.');

/** A form shows each problem beside its field; other pages show these. */
const maxSentences = 3;

export function invalid(fields: FieldProblem[]): Refusal {
  const sentences = fields.map(({ path, problem }) => toSentence(formatFieldName(path), problem));
  const text = sentences.slice(0, maxSentences).join(' ');
  return new Refusal('invalid', text || 'The request is invalid.', { fields });
}

/** A change that cannot be undone requires the name of its app or event. */
export function requireName(confirmName: string | undefined, name: string, purpose: string): void {
  if (confirmName === name) return;
  throw new Refusal('needs_confirmation', `Enter the name ${name} to ${purpose}.`);
}
