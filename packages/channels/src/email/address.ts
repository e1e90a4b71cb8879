import { domainToASCII } from 'node:url';
import type { Recipient } from '@belfry/shared';
import type { Targeting } from '../channel';
import { isAscii } from './header-value';

export type EmailAddress = { address: string; note?: string };

/**
 * Parses exactly one address strictly. The local part stays as given; the domain becomes lower-case
 * ASCII.
 */
export function parseEmailAddress(input: string): EmailAddress | { problem: string } {
  const text = input.trim();
  const problem = findTextProblem(text);
  if (problem) return { problem };
  const at = text.indexOf('@');
  const local = text.slice(0, at);
  const domain = domainToASCII(text.slice(at + 1)).toLowerCase();
  const domainProblem = findDomainProblem(domain);
  if (domainProblem) return { problem: domainProblem };
  const address = `${local}@${domain}`;
  if (address.length > maxAddressCharacters) return { problem: tooLong };
  return address === text ? { address } : { address, note: `"${text}" was changed to ${address}` };
}

/**
 * Each mailbox once, in its first spelling, without those in `others`. Mail servers treat `Ana@`
 * and `ana@` as one mailbox.
 */
export function uniqueMailboxes(addresses: string[], others: string[] = []): string[] {
  const mailboxKeys = new Set(others.map(toMailboxKey));
  return addresses.filter(
    (address) => mailboxKeys.size < mailboxKeys.add(toMailboxKey(address)).size,
  );
}

function toMailboxKey(address: string): string {
  return address.normalize('NFC').toLowerCase();
}

/**
 * SMTPUTF8 depends on the sender and the recipients of a mail: a mail cannot request it for a
 * header alone.
 */
export function findReplyToProblem(address: string): string | undefined {
  return isAscii(address.split('@')[0] ?? '')
    ? undefined
    : 'has non-ASCII letters before the @; only sender and recipient addresses may have them';
}

/** The recipient's address, or why the channel does not reach the recipient. */
export function findEmailTargets({ email }: Recipient): Targeting {
  if (!email?.trim()) return { skip: 'no_address', detail: 'The recipient has no e-mail address.' };
  const parsed = parseEmailAddress(email);
  if ('problem' in parsed) {
    return { skip: 'invalid_address', detail: `"${email}" ${parsed.problem}.` };
  }
  return { targets: [parsed] };
}

/**
 * Quotes a local part with leading, trailing or repeated dots. Addresses contain no character that
 * would end the quotes.
 */
export function toMailbox(address: string): string {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  return at < 1 || dotAtom.test(local) ? address : `"${local}"${address.slice(at)}`;
}

const atom = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~\\u0080-\\u{10ffff}]+";
const dotAtom = new RegExp(`^${atom}(\\.${atom})*$`, 'u');

/** The magic word in an address such as sandbox+bounce@example.com. */
export function findMagicWordOfEmail(address: string): string | undefined {
  return /^sandbox\+([a-z]+)@/i.exec(address)?.[1]?.toLowerCase();
}

const maxAddressCharacters = 254;
const maxLocalCharacters = 64;
const tooLong = `is longer than ${maxAddressCharacters} characters`;

/**
 * Some mail programs read quotes, separators or brackets as several addresses, or as another one.
 */
const refusedCharacter = /[\s"'`,;:<>()[\]\\\p{C}]/u;
const refusedInLocal = /[\s",;:<>()[\]\\\p{C}]/u;

function findTextProblem(text: string): string | undefined {
  if (text.length > maxAddressCharacters) return tooLong;
  const parts = text.split('@');
  if (parts.length !== 2) return 'must have exactly one @';
  const [local = '', domain = ''] = parts;
  if (local === '') return 'has nothing before the @';
  if (local.length > maxLocalCharacters) {
    return `has more than ${maxLocalCharacters} characters before the @`;
  }
  if (refusedInLocal.test(local) || refusedCharacter.test(domain)) {
    return 'has a space, quote, comma, bracket or control character';
  }
  // Characters that end or encode a host name in a URL are checked below.
  if (/[%/?#]/.test(domain)) return 'has a domain that is not a valid host name';
  return undefined;
}

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const hostName = new RegExp(`^(${label}\\.)+${label}$`);

function findDomainProblem(domain: string): string | undefined {
  if (domain !== '' && !domain.includes('.')) return 'has a domain without a dot';
  const isNumber = /\.\d+$/.test(domain);
  return hostName.test(domain) && !isNumber
    ? undefined
    : 'has a domain that is not a valid host name';
}
