import { classifyFailure, type FailedOutcome } from '../network-failure';
import { classifySmtpReply, type SmtpStage } from './smtp-replies';

/** The fields of a nodemailer error that may be stored. */
export type MailError = {
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
 * Classifies a failed mail. `isWritten`: the whole mail was written, so a lost reply may have been
 * an acceptance.
 */
export function classifyMailError(error: MailError, isWritten: boolean): FailedOutcome {
  const replyFailure =
    error.response && classifySmtpReply({ stage: getStage(error), reply: error.response });
  if (replyFailure) return replyFailure;
  return (
    localFailures.get(error.code ?? '') ??
    classifyFailure({ code: getSystemCode(error), isWritten })
  );
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
