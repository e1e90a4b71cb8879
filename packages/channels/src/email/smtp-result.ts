import type { Outcome } from '@belfry/shared';
import type { SendResult } from '../channel';
import { classifyFailure, type FailedOutcome, type NetworkFailure } from '../network-failure';
import { redact } from '../redact';
import { classifySmtpReply, type SmtpStage } from './smtp-replies';
import type { SmtpCredentials } from './smtp-settings';

const maxReplyCharacters = 1_000;

/** nodemailer's result for a mail that the server accepted for at least one recipient. */
type AcceptedMail = {
  response: string;
  rejectedErrors?: readonly (Error & { recipient?: string | undefined })[] | undefined;
};

/**
 * A mail counts as accepted when its target was accepted. A refused copy is only noted. If the
 * target was refused, accepted copies stay sent.
 */
export function readAcceptedMail(
  { response, rejectedErrors = [] }: AcceptedMail,
  { target, messageId, endpoint }: { target: string; messageId: string; endpoint: string },
  credentials: SmtpCredentials,
): SendResult {
  const refusals = rejectedErrors.map((error) => ({
    ...readMailError(error),
    to: error.recipient,
  }));
  const own = refusals.find(({ to }) => to === target);
  if (own) return readFailedMail(own, { endpoint, isWritten: false, elapsedMs: 0 }, credentials);
  const refusedAddresses = refusals.map(({ to }) => to).join(', ');
  const outcome: Outcome = {
    outcome: 'accepted',
    providerMessageId: messageId,
    ...(refusedAddresses ? { detail: `Copies were refused: ${refusedAddresses}.` } : {}),
  };
  return { outcome, response: { reply: clean(response, credentials) } };
}

export function readFailedMail(
  error: MailError,
  call: MailTransport,
  credentials: SmtpCredentials,
): SendResult {
  const outcome = classifyMailError(error, call);
  if (!error.response) return { outcome };
  const { command = '', response } = error;
  return {
    outcome,
    response: { command: clean(command, credentials), reply: clean(response, credentials) },
  };
}

function clean(text: string, credentials: SmtpCredentials): string {
  return redact(text, [credentials.pass, getLogin(credentials)]).slice(0, maxReplyCharacters);
}

/** The payload of AUTH PLAIN. */
function getLogin({ user, pass }: SmtpCredentials): string | undefined {
  return user && pass ? `\u0000${user}\u0000${pass}` : undefined;
}

/** The fields of a nodemailer error that may be stored. */
type MailError = {
  code?: string;
  originalCode?: string;
  command?: string;
  response?: string;
};

/** Picks the named fields from whatever nodemailer threw: its errors may hold secrets. */
export function readMailError(error: unknown): MailError {
  if (typeof error !== 'object' || error === null) return {};
  return {
    ...textField(error, 'code'),
    ...textField(error, 'originalCode'),
    ...textField(error, 'command'),
    ...textField(error, 'response'),
  };
}

/**
 * How far a mail came. `isWritten`: the whole mail was written, so a lost reply may have been an
 * acceptance.
 */
export type MailTransport = Omit<NetworkFailure, 'code'>;

/** Classifies a failed mail. */
export function classifyMailError(error: MailError, call: MailTransport): FailedOutcome {
  const { response } = error;
  const replyFailure = response && classifySmtpReply({ stage: getStage(error), reply: response });
  if (replyFailure) return nameReply(replyFailure, response, call);
  return (
    localFailures.get(error.code ?? '') ?? classifyFailure({ ...call, code: getSystemCode(error) })
  );
}

/** Puts the server and its reply code before the sentence. */
function nameReply(
  failure: FailedOutcome,
  reply: string,
  { endpoint }: MailTransport,
): FailedOutcome {
  return { ...failure, detail: `${endpoint} replied ${reply.slice(0, 3)}. ${failure.detail}` };
}

/** Errors that nodemailer raises itself, before it contacts a server. */
const localFailures = new Map<string, FailedOutcome>([
  ['EMESSAGE', content('too_large', 'The mail is larger than the size limit of the mail server.')],
  [
    'EENVELOPE',
    content('invalid_envelope', 'The sender or recipient address cannot be written in SMTP.'),
  ],
  ['EMAXRECIPIENTS', content('too_many_recipients', 'The mail has too many recipients.')],
  ['EAUTH', login()],
  ['ENOAUTH', login()],
]);

function content(reason: string, detail: string): FailedOutcome {
  return { outcome: 'rejected', scope: 'content', reason, detail };
}

function login(): FailedOutcome {
  return {
    outcome: 'rejected',
    scope: 'integration',
    reason: 'credentials_refused',
    detail: 'The mail server offers no login method that works with a user name and password.',
  };
}

const stages: readonly [RegExp, SmtpStage][] = [
  [/^AUTH/, 'auth'],
  [/^(EHLO|HELO|STARTTLS)/, 'hello'],
  [/^MAIL/, 'mail'],
  [/^RCPT/, 'rcpt'],
  [/^CONN/, 'greeting'],
];

function getStage({ code, command = '' }: MailError): SmtpStage {
  if (code === 'EAUTH') return 'auth';
  const match = stages.find(([pattern]) => pattern.test(command));
  if (match) return match[1];
  return code === 'EMESSAGE' ? 'end' : 'data';
}

function getSystemCode({ code, originalCode }: MailError): string | undefined {
  return originalCode ?? code;
}

function textField<Name extends string>(error: object, name: Name): Partial<Record<Name, string>> {
  const value: unknown = Reflect.get(error, name);
  // The record has exactly the one key that the type requires.
  return typeof value === 'string' ? ({ [name]: value } as Record<Name, string>) : {};
}
