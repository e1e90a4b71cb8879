import { createHmac, timingSafeEqual } from 'node:crypto';
import type { LocalReceiptReader, ReceiptCall } from '../../channel';
import { parseJson, toRecord } from '../../read-json';
import { createReports, type ReportKind } from './report-kinds';

/** Tags have only "ASCII letters, numbers, underscores, or dashes" (resend.com/docs/dashboard/emails/tags). */
export const messageTag = 'belfry_message';
export const copiesTag = 'belfry_copies';

/** Resend's webhook, signed by Svix (resend.com/docs/dashboard/webhooks/verify-webhooks-requests). */
export const resendReceipts: LocalReceiptReader = {
  read(call) {
    const id = getHeader(call, 'svix-id');
    if (!isSignedBySvix(call, Date.now())) return undefined;
    const event = toRecord(parseJson(call.rawBody)) ?? {};
    const data = toRecord(event['data']) ?? {};
    const kind = findKind(event['type'], data);
    if (!kind) return [];
    const tags = toRecord(data['tags']) ?? {};
    const bounce = toRecord(data['bounce']) ?? {};
    const [recipient] = Array.isArray(data['to']) ? data['to'] : [];
    return createReports({
      kind,
      messageId: tags[messageTag],
      providerMessageId: data['email_id'],
      recipient,
      // Resend repeats all recipients, whichever the event is about.
      isAmbiguous: copiesTag in tags,
      code: [bounce['type'], bounce['subType']].filter(Boolean).join(': '),
      text: bounce['message'] ?? toRecord(data['failed'])?.['reason'],
      // The same when Resend repeats the call.
      identity: [id],
    });
  },
};

/** Events by type (resend.com/docs/dashboard/webhooks/event-types). Others are about opens and clicks, or lists. */
const kinds = new Map<unknown, ReportKind>([
  ['email.sent', 'accepted'],
  ['email.delivered', 'delivered'],
  ['email.delivery_delayed', 'delayed'],
  ['email.complained', 'complaint'],
  ['email.suppressed', 'suppressed'],
  ['email.failed', 'refused'],
]);

function findKind(type: unknown, data: Record<string, unknown>): ReportKind | undefined {
  if (type !== 'email.bounced') return kinds.get(type);
  const { type: bounceType, subType } = toRecord(data['bounce']) ?? {};
  if (subType === 'Suppressed' || subType === 'OnAccountSuppressionList') return 'suppressed';
  return bounceType === 'Permanent' ? 'hard_bounce' : 'soft_bounce';
}

/** Svix refuses calls that are older, or from the future. */
const toleranceMs = 5 * 60_000;

/** Whether the secret signed ID, time and body of a call (docs.svix.com/receiving/verifying-payloads/how-manual). */
export function isSignedBySvix(call: ReceiptCall, nowMs: number): boolean {
  const { webhook_secret: secret } = call.credentials;
  const id = getHeader(call, 'svix-id');
  const time = getHeader(call, 'svix-timestamp');
  if (typeof secret !== 'string' || secret === '' || id === '') return false;
  if (!/^\d{1,12}$/.test(time) || Math.abs(nowMs - Number(time) * 1_000) > toleranceMs)
    return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(call.rawBody).digest();
  // During a rotation there are several signatures.
  return getHeader(call, 'svix-signature')
    .split(' ', maxSignatures)
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice('v1,'.length), 'base64'))
    .some(
      (signature) => signature.length === expected.length && timingSafeEqual(signature, expected),
    );
}

const maxSignatures = 10;

function getHeader({ headers }: ReceiptCall, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
