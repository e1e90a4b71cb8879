import { timingSafeEqual } from 'node:crypto';
import type { Secrets } from './secrets';

/** 80 bits; the local part must have at most 64 characters. */
const macCharacters = 20;

/** The message that a bounce address is for. */
export type BouncedMail = {
  messageId: string;
  /** The mail has more recipients than the message's target. */
  hasCopies: boolean;
};

/** The integration whose connection test sent a mail to the address. */
export type TestedMail = { testedIntegrationId: string };

/**
 * The envelope sender of a mail. Servers report there that the mail bounced, so it names the message
 * (variable envelope return path), and a signature keeps others from making reports up. Hex digits,
 * because some servers change the case.
 */
export function buildBounceAddress(
  secrets: Pick<Secrets, 'fingerprint'>,
  { messageId, hasCopies, domain }: BouncedMail & { domain: string },
): string {
  return buildAddress(secrets, { kind: hasCopies ? 'c' : 'b', id: messageId, domain });
}

/** The recipient of a mail that tests an integration: it comes back by the way of bounces. */
export function buildTestAddress(
  secrets: Pick<Secrets, 'fingerprint'>,
  { testedIntegrationId: id, domain }: TestedMail & { domain: string },
): string {
  return buildAddress(secrets, { kind: 't', id, domain });
}

function buildAddress(
  secrets: Pick<Secrets, 'fingerprint'>,
  { kind, id, domain }: { kind: 'b' | 'c' | 't'; id: string; domain: string },
): string {
  const facts = `${kind}+${id.replaceAll('-', '').toLowerCase()}`;
  return `${facts}.${sign(secrets, facts)}@${domain}`;
}

const pattern = new RegExp(
  `^((b|c|t)\\+([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12}))\\.([0-9a-f]{${macCharacters}})@`,
  'i',
);

/** Reads a bounce address that we created with any key of the ring; undefined for others. */
export function readBounceAddress(
  secrets: Pick<Secrets, 'fingerprint' | 'keyIds'>,
  address: string,
): BouncedMail | TestedMail | undefined {
  const [, facts = '', kind, ...rest] = pattern.exec(address.toLowerCase()) ?? [];
  const signature = Buffer.from(rest.pop() ?? '');
  const isOurs = secrets.keyIds.some((keyId) => {
    const expected = Buffer.from(sign(secrets, facts, keyId));
    return expected.length === signature.length && timingSafeEqual(expected, signature);
  });
  if (!isOurs) return undefined;
  const id = rest.join('-');
  return kind === 't' ? { testedIntegrationId: id } : { messageId: id, hasCopies: kind === 'c' };
}

function sign(secrets: Pick<Secrets, 'fingerprint'>, facts: string, keyId?: string): string {
  return secrets.fingerprint('bounce', facts, keyId).toString('hex').slice(0, macCharacters);
}
