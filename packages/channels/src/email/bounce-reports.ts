import type { Email } from 'postal-mime';
import type { ReceiptCall, ReceiptReport } from '../receipt-reader';
import { createReports, type ReportKind } from './api/report-kinds';
import { describeSignatures } from './dkim';
import { classifySmtpReply } from './smtp-replies';

/**
 * Reads the mail that servers send to the bounce address of a mail: delivery status notifications
 * (RFC 3464) and abuse reports (RFC 5965). Other mail, such as automatic replies, says nothing. The
 * mail itself is not kept.
 */
export async function readBounceMail({
  url,
  rawBody,
}: Pick<ReceiptCall, 'url' | 'rawBody'>): Promise<ReceiptReport[]> {
  // Loaded here, because workers of other channels do not need it.
  const PostalMime = require('postal-mime') as typeof import('postal-mime');
  const options = { forceRfc822Attachments: true, maxNestingDepth };
  const mail = await PostalMime.parse(rawBody, options).catch(() => undefined);
  const bounceAddress = mail && findBounceAddress(mail, url);
  if (!mail || bounceAddress === undefined) return [];
  if (/^t/i.test(bounceAddress)) return [readTestMail(mail, bounceAddress)];
  return [...readNotifications(mail, bounceAddress), ...readComplaints(mail, bounceAddress)];
}

/** Only the headers are read: nobody has verified the signature. */
function readTestMail(mail: Email, messageId: string): ReceiptReport {
  const signatures = mail.headers.filter(({ key }) => key === 'dkim-signature');
  const time = new Date().toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ');
  const result = describeSignatures(signatures.map(({ value }) => value));
  const mailSignature = `Test mail of ${time} UTC: ${result}`;
  return { messageId, state: 'queued', identity: '', mailSignature };
}

const maxNestingDepth = 20;
/** A mail has few recipients; see `maxRecipients` of the template. */
const maxRecipients = 100;

type Fields = Map<string, string>;

function readNotifications(mail: Email, messageId: string): ReceiptReport[] {
  return readParts(mail, 'message/delivery-status').flatMap((part) =>
    readBlocks(part)
      .slice(0, maxRecipients)
      .flatMap((fields) => {
        const kind = findKind(fields);
        if (!kind) return [];
        const recipient = readTyped(fields, 'original-recipient', 'final-recipient');
        const status = fields.get('status') ?? '';
        const attempt = kind === 'delayed' ? fields.get('last-attempt-date') : undefined;
        return createReports({
          kind,
          messageId,
          providerMessageId: undefined,
          recipient,
          code: status,
          text: readTyped(fields, 'diagnostic-code'),
          identity: [kind, status, recipient, attempt],
        });
      }),
  );
}

/** By `Action` (RFC 3464, section 2.3.3), and for failures by the same rule as a server's direct reply. */
function findKind(fields: Fields): ReportKind | undefined {
  const action = fields.get('action')?.toLowerCase();
  if (action === 'delivered') return 'delivered';
  if (action === 'relayed' || action === 'expanded') return 'accepted';
  if (action === 'delayed') return 'delayed';
  if (action !== 'failed') return undefined;
  const status = fields.get('status') ?? '';
  const diagnosis = readTyped(fields, 'diagnostic-code') ?? '';
  const reply = /^[45]\d\d[ -]/.test(diagnosis) ? diagnosis : `${status[0]}50 ${status}`;
  const outcomes = [reply, `${status[0]}50 ${status}`].map((each) =>
    classifySmtpReply({ stage: 'rcpt', reply: each }),
  );
  const isGone = outcomes.some((outcome) => outcome?.reason === 'no_such_mailbox');
  return isGone && status.startsWith('5') ? 'hard_bounce' : 'soft_bounce';
}

/** Feedback types (RFC 5965, section 7.3); `not-spam` is the opposite. */
const complaints = new Map<string | undefined, ReportKind>([
  ['abuse', 'complaint'],
  ['fraud', 'complaint'],
  ['virus', 'complaint'],
  ['other', 'complaint'],
  ['opt-out', 'unsubscribed'],
]);

function readComplaints(mail: Email, messageId: string): ReceiptReport[] {
  return readParts(mail, 'message/feedback-report').flatMap((part) => {
    const [fields] = readBlocks(part);
    const type = fields?.get('feedback-type')?.toLowerCase();
    const kind = complaints.get(type);
    if (!fields || !kind) return [];
    return createReports({
      kind,
      messageId,
      providerMessageId: undefined,
      recipient: fields.get('original-rcpt-to'),
      code: type,
      text: undefined,
      identity: [kind, fields.get('original-rcpt-to')],
    });
  });
}

/** Addresses of the form that Belfry creates; whether it did is checked where the key ring is known. */
const bounceAddressPattern = /[bct]\+[0-9a-f]{32}\.[0-9a-f]+@[a-z0-9.-]+/i;

/**
 * The first of: `to` in the URL, the recipient headers, the sender of the mail that a complaint is
 * about, and that mail's own `Return-Path`.
 */
function findBounceAddress(mail: Email, url: string): string | undefined {
  const { searchParams } = new URL(url);
  const places = [
    // A mail server may not escape the `+`.
    searchParams.get('to')?.replaceAll(' ', '+') ?? '',
    ...mail.headers.filter(({ key }) => recipientHeaders.has(key)).map(({ value }) => value),
    ...readParts(mail, 'message/feedback-report').flatMap((part) =>
      readBlocks(part).map((fields) => fields.get('original-mail-from') ?? ''),
    ),
    ...[...readParts(mail, 'message/rfc822'), ...readParts(mail, 'text/rfc822-headers')].flatMap(
      (part) => readBlocks(part)[0]?.get('return-path') ?? '',
    ),
  ];
  return places.map((text) => bounceAddressPattern.exec(text)?.[0]).find(Boolean);
}

const recipientHeaders = new Set(['to', 'delivered-to', 'x-original-to', 'envelope-to']);

function readParts(mail: Email, type: string): string[] {
  return mail.attachments
    .filter(({ mimeType }) => mimeType.toLowerCase() === type)
    .map(({ content }) =>
      typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('utf8'),
    );
}

/** Groups of header fields between blank lines, by lower-case name. The first field of a name counts. */
function readBlocks(text: string): Fields[] {
  const unfolded = text.replaceAll('\r\n', '\n').replaceAll(/\n[ \t]+/g, ' ');
  return unfolded.split(/\n\n+/).map((block) => {
    const fields: Fields = new Map();
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([\w-]+):(.*)$/.exec(line) ?? [];
      const key = name.toLowerCase();
      if (!fields.has(key)) fields.set(key, value.trim());
    }
    return fields;
  });
}

/** The value of the first field that is there, without its type, as in `rfc822; ada@example.org`. */
function readTyped(fields: Fields, ...names: string[]): string | undefined {
  const value = names.map((name) => fields.get(name)).find(Boolean);
  return value?.replace(/^[\w-]+\s*;\s*/, '');
}
