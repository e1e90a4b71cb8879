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

/**
 * The envelope sender of a mail. Servers report there that the mail bounced, so it names the message
 * (variable envelope return path), and a signature keeps others from making reports up. Hex digits,
 * because some servers change the case.
 */
export function buildBounceAddress(
  secrets: Pick<Secrets, 'fingerprint'>,
  { messageId, hasCopies, domain }: BouncedMail & { domain: string },
): string {
  const facts = `${hasCopies ? 'c' : 'b'}+${messageId.replaceAll('-', '').toLowerCase()}`;
  return `${facts}.${sign(secrets, facts)}@${domain}`;
}

const pattern = new RegExp(
  `^((b|c)\\+([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12}))\\.([0-9a-f]{${macCharacters}})@`,
  'i',
);

/** The message of a bounce address that we created, with any key of the ring; undefined for others. */
export function readBounceAddress(
  secrets: Pick<Secrets, 'fingerprint' | 'keyIds'>,
  address: string,
): BouncedMail | undefined {
  const [, facts = '', kind, ...rest] = pattern.exec(address.toLowerCase()) ?? [];
  const signature = Buffer.from(rest.pop() ?? '');
  const isOurs = secrets.keyIds.some((keyId) => {
    const expected = Buffer.from(sign(secrets, facts, keyId));
    return expected.length === signature.length && timingSafeEqual(expected, signature);
  });
  return isOurs ? { messageId: rest.join('-'), hasCopies: kind === 'c' } : undefined;
}

function sign(secrets: Pick<Secrets, 'fingerprint'>, facts: string, keyId?: string): string {
  return secrets.fingerprint('bounce', facts, keyId).toString('hex').slice(0, macCharacters);
}
