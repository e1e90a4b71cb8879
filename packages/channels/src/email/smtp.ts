import { Type } from '@sinclair/typebox';
import { LRUCache } from 'lru-cache';
import type {
  DescribeCall,
  Provider,
  ProviderRequest,
  SendCall,
  Sender,
  SenderDeps,
  SendResult,
  TestCall,
  Tested,
} from '../channel';
import { createGuardedFetch } from '../guarded-fetch';
import { isRecord } from '../read-json';
import { describeMail } from './describe-mail';
import { fetchAttachments } from './fetch-attachments';
import { createEnvelope, type MailCall, type MailSettings } from './mail';
import { composeMime, readHeaderLines } from './mime';
import { createSocketOpener } from './open-socket';
import { createSmtpPool, type SmtpPool } from './smtp-pool';
import { checkSmtp, readSmtp, smtpCredentials, smtpSettings } from './smtp-settings';
import type { EmailContent } from './template';

export const smtp: Provider<EmailContent> = {
  label: 'SMTP',
  settings: smtpSettings,
  credentials: smtpCredentials,
  // A mail's headers and parts are the override's own fields.
  payload: Type.Object({}),
  check: checkSmtp,
  describe: describeSmtp,
  createSender: createSmtpSender,
};

/** Pools at most; the one that was unused longest is closed for a new one. */
const maxPools = 256;

function createSmtpSender({ allowedPrivateHosts }: SenderDeps): Sender<EmailContent> {
  const guardedFetch = createGuardedFetch({ allowedPrivateHosts });
  const openSocket = createSocketOpener({ allowedPrivateHosts });
  const pools = new LRUCache<string, SmtpPool>({
    max: maxPools,
    dispose: (pool) => pool.close(),
  });

  async function send(call: SendCall<EmailContent>): Promise<SendResult> {
    const integration = readSmtp(call);
    if (!integration) return { outcome: incomplete };
    const { settings, credentials } = integration;
    const mailCall: MailCall = { ...call, settings };
    const files = await fetchAttachments(call.content.attachments, guardedFetch, call.signal);
    if ('outcome' in files) return { outcome: files };
    const key = `${call.integrationId}@${call.integrationVersion}`;
    const pool = pools.get(key) ?? createSmtpPool({ settings, credentials, openSocket });
    pools.set(key, pool);
    const mime = await composeMime(mailCall, files);
    const request = {
      operation: operationOf(call.settings),
      body: describeMail(mailCall, readHeaderLines(mime), files),
    };
    const mail = { envelope: createEnvelope(mailCall), mime, messageId: request.body.message_id };
    const result = await pool.send(mail, call.signal);
    return { ...withBounce(blameSender(result, call), call), request };
  }

  async function test(call: TestCall): Promise<Tested> {
    const integration = readSmtp(call);
    if (!integration) return { isWorking: false, detail: incomplete.detail };
    const pool = createSmtpPool({ ...integration, openSocket });
    try {
      return await pool.test(call.signal);
    } finally {
      pool.close();
    }
  }

  return {
    send,
    test,
    async close() {
      pools.clear();
      guardedFetch.close();
    },
  };
}

const incomplete = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'incomplete_settings',
  detail: 'The integration’s settings are not complete.',
} as const;

/** A sender's address that the template or the call named is their fault, and not the integration's. */
function blameSender(result: SendResult, { content }: SendCall<EmailContent>): SendResult {
  const { outcome } = result;
  if (outcome.outcome !== 'rejected' || outcome.reason !== 'sender_refused') return result;
  if (!content.from?.address) return result;
  return { ...result, outcome: { ...outcome, scope: 'content' } };
}

/**
 * A mailbox that does not exist is not written to again, by no sender. A refusal of the whole mail may be
 * about a copy, and then says nothing of the recipient.
 */
function withBounce(result: SendResult, { content }: SendCall<EmailContent>): SendResult {
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

/** The sandbox may have no integration, so that settings may be missing here. */
function describeSmtp(call: DescribeCall<EmailContent>): ProviderRequest {
  return {
    operation: operationOf(call.settings),
    body: describeMail({ ...call, settings: readMailSettings(call.settings) }),
  };
}

function operationOf({ host, port }: Record<string, unknown>): string {
  return typeof host === 'string' ? `SMTP ${host}:${port}` : 'SMTP';
}

function readMailSettings({ from, reply_to }: Record<string, unknown>): MailSettings {
  return {
    ...(typeof reply_to === 'string' ? { reply_to } : {}),
    ...(isRecord(from) ? { from: { ...text('name', from), ...text('address', from) } } : {}),
  };
}

function text<Name extends 'name' | 'address'>(name: Name, from: Record<string, unknown>) {
  const value = from[name];
  return typeof value === 'string' ? { [name]: value } : {};
}
