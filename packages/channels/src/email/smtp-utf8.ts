import type { FailedOutcome } from '../network-failure';
import { isAscii } from './header-value';
import type { Envelope } from './mail';

/** Domains are in ASCII, so what is not is before an @. */
export function needsUtf8({ from, to }: { from: string; to: string[] }): boolean {
  return [from, ...to].some((address) => !isAscii(address));
}

/**
 * Whether the server offers SMTPUTF8. The library adds the parameter where it is offered, and sends without it where it is
 * not; it has no other way to ask, so that this reads a member that it keeps for itself. Where that is gone, nothing is
 * offered.
 */
export function offersUtf8(connection: object): boolean {
  const extensions: unknown = Reflect.get(connection, '_supportedExtensions');
  return Array.isArray(extensions) && extensions.includes('SMTPUTF8');
}

/** The failure names the address that needs SMTPUTF8. Its scope says what to change: the integration, the content or the recipient. */
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
  return `"${address}" has letters outside of ASCII before the @, and the mail server does not offer SMTPUTF8.`;
}
