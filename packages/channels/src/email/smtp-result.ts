import type { Outcome } from '@belfry/shared';
import type { SendResult } from '../channel';
import { redact } from '../redact';
import { classifyMailError, type MailError, readMailError } from './classify-mail-error';
import type { SmtpCredentials } from './smtp-settings';

const maxReplyCharacters = 1_000;

/** nodemailer's result for a mail that the server accepted for at least one recipient. */
export type AcceptedMail = {
  response: string;
  rejectedErrors?: readonly (Error & { recipient?: string | undefined })[] | undefined;
};

/**
 * A mail counts as accepted when its target was accepted. A refused copy is only noted. If the
 * target was refused, accepted copies stay sent.
 */
export function readAcceptedMail(
  { response, rejectedErrors = [] }: AcceptedMail,
  { target, messageId }: { target: string; messageId: string },
  credentials: SmtpCredentials,
): SendResult {
  const refusals = rejectedErrors.map((error) => ({
    ...readMailError(error),
    to: error.recipient,
  }));
  const own = refusals.find(({ to }) => to === target);
  if (own) return readFailedMail(own, false, credentials);
  const refusedAddresses = refusals.map(({ to }) => to).join(', ');
  const outcome: Outcome = {
    outcome: 'accepted',
    providerMessageId: messageId,
    ...(refusedAddresses ? { detail: `Copies were refused: ${refusedAddresses}.` } : {}),
  };
  return { outcome, response: { reply: clean(response, credentials) } };
}

/** `isWritten`: the whole mail was written, so the server may have accepted it. */
export function readFailedMail(
  error: MailError,
  isWritten: boolean,
  credentials: SmtpCredentials,
): SendResult {
  const outcome = classifyMailError(error, isWritten);
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
