import type { ExpectedEnd, RejectionScope } from '@belfry/shared';
import { classifyStatus, type HttpResponse, retryAfterMs, withDefaultWait } from '../../http';
import type { FailedOutcome } from '../../network-failure';
import { redact } from '../../redact';

type Verdict =
  | { outcome: 'retry'; afterMs?: number; slows?: 'integration' }
  | { outcome: 'unknown' }
  | {
      outcome: 'rejected';
      scope: RejectionScope;
      /** A sender that the template or the call named is their fault, not the integration's. */
      isAboutSender?: true;
      skip?: ExpectedEnd;
    };

/** A row of a service's error table. It matches if each of its conditions does. */
export type MailApiCode = Verdict & {
  status?: number;
  /** The service's own code, exactly. */
  code?: string;
  /** Matches the service's text. */
  text?: RegExp;
  /** Shown to the operator. */
  sentence: string;
};

/** A service's error, as far as its answer has one. */
export type ApiError = { code?: string; text?: string };

export type ErrorTable = {
  codes: Readonly<Record<string, MailApiCode>>;
  /** The wait after a 429 without another one. */
  throttledMs: number;
};

/** Classifies an answer that accepts no mail. Rows come first, in their order, then the status. */
export function classifyAnswer(
  { status, headers }: HttpResponse,
  { code, text = '' }: ApiError,
  { table, isOwnSender }: { table: ErrorTable; isOwnSender: boolean },
): FailedOutcome {
  const row = Object.entries(table.codes).find(
    ([, each]) =>
      (each.status ?? status) === status &&
      (each.code === undefined || each.code === code) &&
      (each.text?.test(text) ?? true),
  );
  const outcome = row
    ? toOutcome(row, isOwnSender, retryAfterMs(headers, Date.now()))
    : classifyStatus(status, headers);
  return withDefaultWait(outcome, { status, waitMs: table.throttledMs });
}

function toOutcome(
  [reason, code]: [string, MailApiCode],
  isOwnSender: boolean,
  waitMs: number | undefined,
): FailedOutcome {
  const { sentence: detail } = code;
  if (code.outcome === 'unknown') return { outcome: 'unknown', reason, detail };
  if (code.outcome === 'retry') {
    const afterMs = waitMs ?? code.afterMs;
    const after = afterMs === undefined ? {} : { afterMs };
    const slows = code.slows ? { slows: code.slows } : {};
    return { outcome: 'retry', reason, detail, ...after, ...slows };
  }
  const scope = code.isAboutSender && isOwnSender ? 'content' : code.scope;
  const skip = code.skip ? { skip: code.skip } : {};
  return { outcome: 'rejected', scope, reason, detail, ...skip };
}

const maxTextCharacters = 500;
const maxIdCharacters = 256;

/** The fields of an answer that may be stored, cut and without credentials. */
export function describeAnswer(
  status: number,
  { code, text }: ApiError,
  { id, secrets }: { id?: string | undefined; secrets: readonly string[] },
): Record<string, unknown> {
  const clean = (value: string) => redact(value, secrets).slice(0, maxTextCharacters);
  return {
    status,
    ...(id === undefined ? {} : { id: clean(id) }),
    ...(code === undefined ? {} : { code: clean(code) }),
    ...(text === undefined ? {} : { message: clean(text) }),
  };
}

/** An ID that can be stored. */
export function readApiId(value: unknown): string | undefined {
  const isId = typeof value === 'string' && value !== '' && value.length <= maxIdCharacters;
  return isId ? value : undefined;
}

export const unreadable: FailedOutcome = {
  outcome: 'unknown',
  reason: 'unreadable_answer',
  detail: 'The answer of the service could not be read, so the mail may have been sent.',
};
