import type { Outcome } from '@belfry/shared';
import type { SendResult } from '../channel';
import { redact } from '../redact';
import { classifyMailError, type MailError, readMailError } from './classify-mail-error';
import type { SmtpCredentials } from './smtp-settings';

const maxReplyCharacters = 1_000;

/** The library's answer for a mail that the server took, for some of its recipients at least. */
export type TakenMail = {
  response: string;
  rejectedErrors?: readonly (Error & { recipient?: string | undefined })[] | undefined;
};

/**
 * A mail is taken when its own recipient was. A copy that was refused is only noted; and when the own
 * recipient was refused, copies that the server took stay sent.
 */
export function readTakenMail(
  { response, rejectedErrors = [] }: TakenMail,
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

/** `isWritten`: the whole mail had left, so that the server may have taken it. */
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

/** What AUTH PLAIN sends. */
function getLogin({ user, pass }: SmtpCredentials): string | undefined {
  return user && pass ? `\u0000${user}\u0000${pass}` : undefined;
}
