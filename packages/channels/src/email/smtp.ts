import { Type } from '@sinclair/typebox';
import type {
  DescribeCall,
  PreparedSend,
  Provider,
  ProviderRequest,
  Sender,
  SenderDeps,
  SendResult,
  UnsentCall,
} from '../channel';
import { createGuardedFetch } from '../guarded-fetch';
import { isRecord } from '../read-json';
import { fetchAttachments } from './attachments';
import { readBounceMail } from './bounce-reports';
import { getDkimRecord, readDkim } from './dkim';
import { composeMime, createEnvelope, describeMail, type Envelope, readHeaderLines } from './mail';
import { createSocketOpener } from './open-socket';
import { type MailCall, readMailSettings } from './parties';
import { createSmtpConnections, createSmtpPool } from './smtp-pool';
import {
  checkSmtp,
  getMaxConnections,
  readSmtp,
  type SmtpSettings,
  smtpCredentials,
  smtpSettings,
} from './smtp-settings';
import type { EmailContent } from './template';
import { testSignature } from './test-signature';

export const smtp: Provider<EmailContent> = {
  label: 'SMTP',
  settings: smtpSettings,
  credentials: smtpCredentials,
  // A mail's headers and parts are fields of the override itself.
  payload: Type.Object({}),
  check: checkSmtp,
  getMaxConnections,
  getDnsRecord: getDkimRecord,
  describe: describeSmtp,
  createSender: createSmtpSender,
  receipts: { read: readBounceMail, reportsFailuresOnly: true },
};

function createSmtpSender(deps: SenderDeps): Sender<EmailContent> {
  const guardedFetch = createGuardedFetch(deps);
  const openSocket = createSocketOpener(deps);
  const connections = createSmtpConnections({ ...deps, openSocket });

  async function prepare(
    call: UnsentCall<EmailContent>,
    signal: AbortSignal,
  ): Promise<PreparedSend | SendResult | undefined> {
    const integration = readSmtp(call);
    const dkim = readDkim(call);
    if (!integration || (dkim && 'problems' in dkim)) return { outcome: incomplete };
    const mailCall: MailCall = { ...call, settings: integration.settings };
    const files = await fetchAttachments(call.content.attachments, guardedFetch, signal);
    if ('outcome' in files) return { outcome: files };
    const mime = await composeMime(mailCall, files, dkim);
    const request = {
      operation: formatOperation(call.settings),
      body: describeMail(mailCall, readHeaderLines(mime), files),
    };
    const envelope = withBounceAddress(createEnvelope(mailCall), call, integration.settings);
    const mail = { envelope, mime, messageId: request.body.message_id };
    const lease = await connections.take(call, signal);
    return (
      lease && {
        async send(deadline) {
          const result = await lease.send(mail, deadline.signal);
          return { ...withBounce(blameSender(result, call), call), request };
        },
        release: lease.release,
      }
    );
  }

  return {
    reserve: connections.reserve,
    prepare,
    async send(call) {
      const prepared = await prepare(call, call.signal);
      if (!prepared) return { outcome: noConnection };
      return 'outcome' in prepared ? prepared : prepared.send(call).finally(prepared.release);
    },
    async test(call) {
      const integration = readSmtp(call);
      if (!integration) return { isWorking: false, detail: incomplete.detail };
      const pool = createSmtpPool({ ...integration, openSocket });
      const result = await pool.test(call.signal);
      if (!result.isWorking) return result;
      const signature = await testSignature(call, integration.settings, { ...deps, pool });
      pool.close();
      return { isWorking: true, detail: `${result.detail} ${signature}` };
    },
    async close() {
      connections.close();
      guardedFetch.close();
    },
  };
}

const noConnection = {
  outcome: 'retry',
  reason: 'no_connection',
  detail: 'No connection of the integration was free in time. Nothing was sent.',
} as const;

const incomplete = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'incomplete_settings',
  detail: 'The integration’s settings are incomplete.',
} as const;

/**
 * If the template or the call named the sender, a refused sender is their fault, not the
 * integration's.
 */
function blameSender(result: SendResult, { content }: UnsentCall<EmailContent>): SendResult {
  const { outcome } = result;
  if (outcome.outcome !== 'rejected' || outcome.reason !== 'sender_refused') return result;
  if (!content.from?.address) return result;
  return { ...result, outcome: { ...outcome, scope: 'content' } };
}

/**
 * A mailbox that does not exist is suppressed for every sender. A refusal of the whole mail may be
 * about a copy, so it does not suppress the target.
 */
function withBounce(result: SendResult, { content }: UnsentCall<EmailContent>): SendResult {
  const { outcome, response } = result;
  if (outcome.outcome !== 'rejected' || outcome.reason !== 'no_such_mailbox') return result;
  const isOwn = content.cc.length + content.bcc.length === 0 || isRefusedRecipient(response);
  if (!isOwn) return result;
  const detail = outcome.detail === undefined ? {} : { detail: outcome.detail };
  return {
    ...result,
    changes: [{ change: 'suppress', reason: 'bounced', sender: '', ...detail }],
  };
}

function isRefusedRecipient(response: unknown): boolean {
  return isRecord(response) && /^RCPT/.test(String(response['command']));
}

/** Bounces come to an address that names the message (RFC 3461 for `dsn`, where the server offers it). */
function withBounceAddress(
  envelope: Envelope,
  { messageId, buildBounceAddress }: UnsentCall<EmailContent>,
  { bounce_domain: domain }: SmtpSettings,
): Envelope {
  if (!domain || !buildBounceAddress) return envelope;
  return {
    ...envelope,
    from: buildBounceAddress({ domain, hasCopies: envelope.to.length > 1 }),
    dsn: { id: messageId, return: 'headers', notify: ['failure', 'delay'] },
  };
}

/** The sandbox may have no integration, so settings may be missing here. */
function describeSmtp(call: DescribeCall<EmailContent>): ProviderRequest {
  return {
    operation: formatOperation(call.settings),
    body: describeMail({ ...call, settings: readMailSettings(call.settings) }),
  };
}

function formatOperation({ host, port }: Record<string, unknown>): string {
  return typeof host === 'string' ? `SMTP ${host}:${port}` : 'SMTP';
}
