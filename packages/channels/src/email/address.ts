import { domainToASCII } from 'node:url';
import { isAscii } from './header-value';

export type EmailAddress = { address: string; note?: string };

/** One strict address in the form that is sent to: local part as given, domain in ASCII and lower case. */
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
  return address === text ? { address } : { address, note: `"${text}" is sent to as ${address}` };
}

/** Each mailbox once, in its first spelling, but for those of `others`: to mail servers `Ana@` and `ana@` are one. */
export function uniqueMailboxes(addresses: string[], others: string[] = []): string[] {
  const mailboxKeys = new Set(others.map(toMailboxKey));
  return addresses.filter(
    (address) => mailboxKeys.size < mailboxKeys.add(toMailboxKey(address)).size,
  );
}

function toMailboxKey(address: string): string {
  return address.normalize('NFC').toLowerCase();
}

/** SMTPUTF8 is asked for by who sends and who gets a mail: for a header alone a mail cannot ask for it. */
export function findReplyToProblem(address: string): string | undefined {
  return isAscii(address.split('@')[0] ?? '')
    ? undefined
    : 'has letters outside of ASCII before the @, which only senders and recipients may';
}

/** The word of an address such as sandbox+bounce@example.com. */
export function findMagicWordOfEmail(address: string): string | undefined {
  return /^sandbox\+([a-z]+)@/i.exec(address)?.[1]?.toLowerCase();
}

const maxAddressCharacters = 254;
const maxLocalCharacters = 64;
const tooLong = `is longer than ${maxAddressCharacters} characters`;

/** Quotes, separators and brackets make one text several addresses, or another one, to some reader of it. */
const refusedCharacter = /[\s"'`,;:<>()[\]\\\p{C}]/u;
const refusedInLocal = /[\s",;:<>()[\]\\\p{C}]/u;

function findTextProblem(text: string): string | undefined {
  if (text.length > maxAddressCharacters) return tooLong;
  const parts = text.split('@');
  if (parts.length !== 2) return 'must hold exactly one @';
  const [local = '', domain = ''] = parts;
  if (local === '') return 'has nothing before the @';
  if (local.length > maxLocalCharacters) {
    return `has more than ${maxLocalCharacters} characters before the @`;
  }
  if (refusedInLocal.test(local) || refusedCharacter.test(domain)) {
    return 'holds a space, quote, comma, bracket or control character';
  }
  // What would end a host name in a URL, or be decoded there, is read so below.
  if (/[%/?#]/.test(domain)) return 'has a domain that is no host name';
  return undefined;
}

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const hostName = new RegExp(`^(${label}\\.)+${label}$`);

function findDomainProblem(domain: string): string | undefined {
  if (domain !== '' && !domain.includes('.')) return 'has a domain without a dot';
  const isNumber = /\.\d+$/.test(domain);
  return hostName.test(domain) && !isNumber ? undefined : 'has a domain that is no host name';
}
