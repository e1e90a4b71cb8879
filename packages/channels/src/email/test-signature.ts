import { randomUUID } from 'node:crypto';
import type { SenderDeps, TestCall } from '../channel';
import { getDkimRecord } from './dkim';
import { describePublished, resolveTxt } from './dkim-dns';
import { composeMime, createEnvelope } from './mail';
import type { MailCall } from './parties';
import type { SmtpPool } from './smtp-pool';
import type { SmtpSettings } from './smtp-settings';

type TestDeps = Pick<SenderDeps, 'resolveTxt'> & { pool: Pick<SmtpPool, 'take'> };

/**
 * Whether mails are signed so that one-click unsubscribe works, as a sentence. The server works
 * even if they are not. If it may sign itself, a test mail goes to the bounce domain, and its
 * headers show it (`readBounceMail`).
 */
export async function testSignature(
  call: TestCall,
  settings: SmtpSettings,
  deps: TestDeps,
): Promise<string> {
  const record = getDkimRecord(call);
  if (record) return describePublished(record, deps.resolveTxt ?? resolveTxt);
  const { bounce_domain: domain } = settings;
  if (!domain) {
    return 'Belfry does not sign with DKIM, and cannot see whether your mail server does. Set a DKIM key or a bounce domain.';
  }
  if (!call.buildTestAddress) {
    return 'Belfry does not sign with DKIM. To see whether your mail server does, test the saved integration.';
  }
  const target = call.buildTestAddress(domain);
  const isSent = await sendTestMail({ target, settings }, deps.pool, call.signal);
  const last = call.mailSignature ?? 'No test mail has come back before.';
  return isSent
    ? `Belfry does not sign with DKIM. It sent a mail to ${domain}; when that comes back, this page shows whether your mail server signs it. ${last}`
    : `Belfry does not sign with DKIM. The mail server did not take a mail to ${domain} that shows whether it signs. ${last}`;
}

async function sendTestMail(
  { target, settings }: Pick<MailCall, 'target' | 'settings'>,
  pool: TestDeps['pool'],
  signal: AbortSignal,
): Promise<boolean> {
  const call: MailCall = { messageId: randomUUID(), target, settings, content: testContent };
  const mail = { envelope: createEnvelope(call), mime: await composeMime(call, []) };
  const lease = await pool.take(signal);
  if (!lease) return false;
  try {
    const { outcome } = await lease.send({ ...mail, messageId: call.messageId }, signal);
    return outcome.outcome === 'accepted';
  } finally {
    lease.release();
  }
}

/** With the headers that the signature of a mail to a user must cover (RFC 8058). */
const testContent: MailCall['content'] = {
  subject: 'Test of the DKIM signature',
  text: 'Belfry reads the headers of this mail.',
  cc: [],
  bcc: [],
  attachments: [],
  headers: {
    'Auto-Submitted': 'auto-generated',
    'List-Unsubscribe': '<https://example.com/unsubscribe>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  },
};
