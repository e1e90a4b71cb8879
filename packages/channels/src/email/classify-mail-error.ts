import { classifyFailure, type FailedOutcome } from '../network-failure';
import { classifySmtpReply, type SmtpStage } from './smtp-replies';

/** What the library says of a failure, as far as it may be kept. */
export type MailError = {
  code?: string;
  originalCode?: string;
  command?: string;
  response?: string;
};

/** The named fields of whatever the library threw: its errors may hold more than may be kept. */
export function readMailError(error: unknown): MailError {
  if (typeof error !== 'object' || error === null) return {};
  return {
    ...textField(error, 'code'),
    ...textField(error, 'originalCode'),
    ...textField(error, 'command'),
    ...textField(error, 'response'),
  };
}

/** What a failed mail came to. `isWritten`: the whole mail had left, so that a lost answer may have been a yes. */
export function classifyMailError(error: MailError, isWritten: boolean): FailedOutcome {
  const replyFailure =
    error.response && classifySmtpReply({ stage: getStage(error), reply: error.response });
  if (replyFailure) return replyFailure;
  return (
    localFailures.get(error.code ?? '') ??
    classifyFailure({ code: getSystemCode(error), isWritten })
  );
}

/** What the library refused by itself, before any server was asked. */
const localFailures = new Map<string, FailedOutcome>([
  ['EMESSAGE', content('too_large', 'The mail is larger than the mail server says it takes.')],
  ['EENVELOPE', content('invalid_envelope', 'Sender or recipient cannot be written in SMTP.')],
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
    detail: 'The mail server takes no login that the user name and password would fit.',
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
  // The record has the one name that the type asks for.
  return typeof value === 'string' ? ({ [name]: value } as Record<Name, string>) : {};
}
