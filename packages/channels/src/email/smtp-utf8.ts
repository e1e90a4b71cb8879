import type { FailedOutcome } from '../network-failure';
import { isAscii } from './header-value';
import type { Envelope } from './mail';

/** Domains are already ASCII, so only local parts can need SMTPUTF8. */
export function needsUtf8({ from, to }: { from: string; to: string[] }): boolean {
  return [from, ...to].some((address) => !isAscii(address));
}

/**
 * Whether the server offers SMTPUTF8. nodemailer adds the parameter when offered, and silently
 * sends without it otherwise. It has no public API for this, so we read a private member. If that
 * member is missing, SMTPUTF8 counts as not offered.
 */
export function offersUtf8(connection: object): boolean {
  const extensions: unknown = Reflect.get(connection, '_supportedExtensions');
  return Array.isArray(extensions) && extensions.includes('SMTPUTF8');
}

/**
 * The failure names the address that needs SMTPUTF8. Its scope shows what to change: the
 * integration, the content or the recipient.
 */
export function refuseUtf8({ from, to: [target, ...copies] }: Envelope): FailedOutcome {
  const reason = 'no_smtputf8';
  if (!isAscii(from)) {
    return {
      outcome: 'rejected',
      scope: 'integration',
      reason: 'sender_refused',
      detail: formatDetail(from),
    };
  }
  const copy = copies.find((each) => !isAscii(each));
  return isAscii(target) && copy
    ? { outcome: 'rejected', scope: 'content', reason, detail: formatDetail(copy) }
    : { outcome: 'rejected', scope: 'recipient', reason, detail: formatDetail(target) };
}

function formatDetail(address: string): string {
  return `"${address}" has non-ASCII letters before the @, and the mail server does not offer SMTPUTF8.`;
}
