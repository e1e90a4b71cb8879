import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Type } from '@sinclair/typebox';
import type DkimSigner from 'nodemailer/lib/dkim';
import type { DnsRecord, IntegrationInput } from '../channel';
import { keepsCredentials } from '../credential-marks';
import { parseEmailAddress } from './address';

/** The name of the DNS record has at most 253 characters. */
const maxSelector = 63;
const maxDomain = 253 - '._domainkey.'.length - maxSelector;

export const dkimSettings = {
  dkim_domain: Type.Optional(
    Type.String({
      title: 'DKIM domain',
      description:
        'Belfry signs each mail for this domain: the domain of the sender address, or one above or below it. Empty means that Belfry does not sign.',
      maxLength: maxDomain,
      ...keepsCredentials,
    }),
  ),
  dkim_selector: Type.Optional(
    Type.String({
      title: 'DKIM selector',
      description: 'Names the key in DNS, such as "belfry". Use a new one for each new key.',
      maxLength: maxSelector,
      ...keepsCredentials,
    }),
  ),
};

export const dkimCredentials = {
  dkim_private_key: Type.Optional(
    Type.String({
      title: 'DKIM private key',
      description: 'An RSA key in PEM format, of 2,048 bits if possible.',
      // An RSA key of 4,096 bits has 3,300 characters.
      maxLength: 8_192,
      ...keepsCredentials,
    }),
  ),
};

/** The key that signs the mails of an integration. */
export type DkimKey = { domain: string; selector: string; key: KeyObject };

/** The integration's key, or undefined if Belfry does not sign its mails. `problems` name the fields. */
export function readDkim({
  settings,
  credentials,
}: IntegrationInput): DkimKey | { problems: string[] } | undefined {
  const [domain, selector] = [getText(settings, 'dkim_domain'), getText(settings, 'dkim_selector')];
  // A stored key may stay without a domain: so an operator switches signing off.
  if (!domain && !selector) return undefined;
  const key = readKey(getText(credentials, 'dkim_private_key'));
  const problems = [
    ...findDomainProblems(domain, settings),
    ...(selectorPattern.test(selector) ? [] : [`dkim_selector ${selectorProblem}`]),
    ...('problem' in key ? [`dkim_private_key ${key.problem}`] : []),
  ];
  return 'problem' in key || problems.length > 0 ? { problems } : { domain, selector, ...key };
}

/** Problems that the schemas cannot express. */
export function checkDkim(integration: IntegrationInput): string[] {
  const dkim = readDkim(integration);
  return dkim && 'problems' in dkim ? dkim.problems : [];
}

/** The TXT record that lets receivers verify the signatures of an integration. */
export function getDkimRecord(integration: IntegrationInput): DnsRecord | undefined {
  const dkim = readDkim(integration);
  if (!dkim || 'problems' in dkim) return undefined;
  const publicKey = createPublicKey(dkim.key).export({ type: 'spki', format: 'der' });
  return {
    name: `${dkim.selector}._domainkey.${dkim.domain}`,
    value: `v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`,
  };
}

/**
 * Signed if they are present. RFC 8058 demands both headers of one-click unsubscribe; RFC 6376
 * (section 5.4.1) recommends the others.
 */
const signedHeaders = [
  ...['From', 'Reply-To', 'To', 'Cc', 'Subject', 'Date', 'Message-ID', 'In-Reply-To', 'References'],
  ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding'],
  ...['List-Id', 'List-Unsubscribe', 'List-Unsubscribe-Post', 'Auto-Submitted', 'Feedback-ID'],
].join(':');

/** The mail with a signature before its headers. Its lines must end with CRLF. */
export async function signMail(mime: Buffer, { domain, selector, key }: DkimKey): Promise<Buffer> {
  // Loaded here, because most integrations do not sign.
  const Signer = require('nodemailer/lib/dkim') as typeof DkimSigner;
  const signer = new Signer({
    domainName: domain,
    keySelector: selector,
    privateKey: key,
    headerFieldNames: signedHeaders,
  });
  const signed = await buffer(signer.sign(mime));
  // nodemailer sends a mail without a signature if the key cannot sign.
  if (signed.length === mime.length) throw new Error('The DKIM key did not sign the mail');
  return signed;
}

const oneClickHeaders = ['list-unsubscribe', 'list-unsubscribe-post'];
const maxSignatures = 10;

/** Whether a signature covers both headers of one-click unsubscribe (RFC 8058), by the values of `DKIM-Signature`. */
export function describeSignatures(values: readonly string[]): string {
  const signatures = values.slice(0, maxSignatures).map((value) => ({
    domain: /^[a-z0-9.-]+/i.exec(readTag(value, 'd'))?.[0].slice(0, maxDomain) ?? '',
    headers: readTag(value, 'h').toLowerCase().split(':'),
  }));
  if (signatures.length === 0) {
    return 'The mail server does not sign with DKIM. One-click unsubscribe needs a signature.';
  }
  const covering = signatures.find(({ headers }) =>
    oneClickHeaders.every((name) => headers.includes(name)),
  );
  if (covering) {
    return `The mail server signs for ${covering.domain}, and covers List-Unsubscribe and List-Unsubscribe-Post.`;
  }
  const domains = signatures.map(({ domain }) => domain).join(', ');
  return `The mail server signs for ${domains}, but no signature covers both List-Unsubscribe and List-Unsubscribe-Post, so one-click unsubscribe is not valid.`;
}

/** The value of a tag without white space (RFC 6376, section 3.2). */
export function readTag(list: string, name: string): string {
  const tag = list.split(';').find((each) => each.split('=')[0]?.trim() === name) ?? '';
  return tag.slice(tag.indexOf('=') + 1).replace(/\s/g, '');
}

function getText(values: Record<string, unknown>, name: string): string {
  const value = values[name];
  return typeof value === 'string' ? value : '';
}

const selectorPattern = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
const selectorProblem =
  'must be letters a to z, digits, dots and hyphens, and end with a letter or digit';

function findDomainProblems(domain: string, settings: Record<string, unknown>): string[] {
  const parsed = parseEmailAddress(`x@${domain}`);
  if ('problem' in parsed || parsed.note !== undefined) {
    return ['dkim_domain must be a lower-case domain, such as example.com'];
  }
  const sender = getSenderDomain(settings);
  const isAligned = `.${sender}`.endsWith(`.${domain}`) || `.${domain}`.endsWith(`.${sender}`);
  if (!sender || isAligned) return [];
  return [
    `dkim_domain must be the domain of the sender address (${sender}), or one above or below it; DMARC ignores other signatures`,
  ];
}

function getSenderDomain({ from }: Record<string, unknown>): string | undefined {
  const address = getText(Object(from) as Record<string, unknown>, 'address');
  const parsed = parseEmailAddress(address);
  return 'address' in parsed ? parsed.address.split('@').at(-1) : undefined;
}

/** RFC 8301, section 3.2: signers use at least 1,024 bits; verifiers read up to 4,096. */
const [minBits, maxBits] = [1_024, 4_096];

function readKey(pem: string): { key: KeyObject } | { problem: string } {
  if (pem === '') return { problem: 'must be set if there is a DKIM domain or selector' };
  const key = parseKey(pem);
  if (!key) return { problem: explainPem(pem) };
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength: bits = 0 } = {} } = key;
  // nodemailer signs with RSA only.
  if (type !== 'rsa') return { problem: `must be an RSA key (got ${type})` };
  return bits >= minBits && bits <= maxBits
    ? { key }
    : { problem: `must have 1,024 to 4,096 bits, better 2,048 (got ${bits})` };
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

function explainPem(pem: string): string {
  if (pem.includes('ENCRYPTED')) return 'must not be protected by a password';
  if (pem.includes('PUBLIC KEY')) return 'must be the private key, not the public one';
  return 'must be a private key in PEM format, with its lines BEGIN and END';
}
