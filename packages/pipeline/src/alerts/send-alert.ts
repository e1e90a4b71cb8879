import { type ComposeResult, channels, type Sender, type SenderDeps } from '@belfry/channels';
import { type IntegrationRow, openCredentials } from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import { maxAlertAddresses, type Outcome } from '@belfry/shared';

/** The channels that can send an alert, and how the operator enters their recipients. */
const alertChannels = ['email', 'slack'] as const;
type AlertChannel = (typeof alertChannels)[number];

export type AlertText = { subject: string; body: string };

export type AlertSend = {
  /** The same for each try, so that receivers can recognise a repetition. */
  id: string;
  integration: IntegrationRow;
  /** E-mail addresses, or one Slack channel. */
  to: string[];
  text: AlertText;
};

export type SendAlertResult = { isSent: boolean; detail: string };
export type SendAlert = (alert: AlertSend) => Promise<SendAlertResult>;

export type SendAlertDeps = { secrets: Secrets; senderDeps: SenderDeps };

const timeoutMs = 30_000;

/**
 * Sends an alert by the provider of an integration, with the code that sends messages. It is no message of the app: it needs no
 * event, is in no log, and no pause or sandbox stops it.
 */
export function createSendAlert({ secrets, senderDeps }: SendAlertDeps): SendAlert {
  return async function sendAlert({ id, integration, to, text }) {
    const recipients = findAlertRecipients(integration.channel, to);
    if ('problem' in recipients) return { isSent: false, detail: recipients.problem };
    const composed = compose(recipients, text);
    if ('failed' in composed) return { isSent: false, detail: composed.detail };
    const sender = createSender(integration, senderDeps);
    if (!sender) return { isSent: false, detail: 'The channel has no such provider.' };
    try {
      const { outcome } = await sender.send({
        messageId: id,
        target: recipients.targets[0] ?? '',
        content: composed.content,
        settings: integration.settings,
        credentials: openCredentials(integration, secrets),
        integrationId: integration.id,
        integrationVersion: String(integration.updatedAt.getTime()),
        signal: AbortSignal.timeout(timeoutMs),
        deadlineAt: Date.now() + timeoutMs,
      });
      return toResult(outcome);
    } finally {
      await sender.close();
    }
  };
}

function toResult(outcome: Outcome): SendAlertResult {
  if (outcome.outcome === 'accepted') return { isSent: true, detail: 'The provider accepted it.' };
  return { isSent: false, detail: outcome.detail ?? 'The provider refused it.' };
}

function createSender(
  { channel, provider }: IntegrationRow,
  senderDeps: SenderDeps,
): Sender<unknown> | undefined {
  if (!isAlertChannel(channel)) return undefined;
  const { providers } = channels[channel];
  const definition = Object.entries(providers).find(([name]) => name === provider)?.[1];
  // Content and provider belong to the same channel.
  return definition?.createSender(senderDeps) as Sender<unknown> | undefined;
}

type Recipients = { channel: AlertChannel; targets: string[] };

/** The recipients in the form of the channel, or why they cannot be used. */
export function findAlertRecipients(
  channel: string,
  to: readonly string[],
): Recipients | { problem: string } {
  if (!isAlertChannel(channel)) {
    return { problem: 'Choose an integration of e-mail or Slack.' };
  }
  const max = channel === 'email' ? maxAlertAddresses : 1;
  if (to.length === 0) return { problem: 'Enter at least one recipient.' };
  if (to.length > max) {
    const most = max === 1 ? 'one channel' : `at most ${max} addresses`;
    return { problem: `Enter ${most} (got ${to.length}).` };
  }
  const targetings = to.map((each) =>
    channel === 'email'
      ? channels.email.findTargets({ email: each })
      : channels.slack.findTargets({ slack: { channelId: each } }),
  );
  const problem = targetings.flatMap((each) => ('skip' in each ? [each.detail] : []))[0];
  if (problem !== undefined) return { problem };
  return {
    channel,
    targets: targetings.flatMap((each) =>
      'targets' in each ? each.targets.map(({ address }) => address) : [],
    ),
  };
}

function isAlertChannel(channel: string): channel is AlertChannel {
  return alertChannels.some((name) => name === channel);
}

/** The texts are values of a fixed template, so that nothing in them is read as a placeholder or as markup. */
function compose({ channel, targets }: Recipients, text: AlertText): ComposeResult<unknown> {
  const [target = '', ...copies] = targets;
  const input = {
    data: { subject: text.subject, body: text.body },
    ...{ target, override: undefined, missing: 'reject' as const, isSensitive: false },
  };
  if (channel === 'slack') {
    return channels.slack.compile({ text: '{{subject}}\n\n{{body}}' }).compose(input);
  }
  const template = {
    subject: '{{subject}}',
    text: '{{body}}',
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
  const composed = channels.email.compile(template).compose(input);
  return 'failed' in composed
    ? composed
    : { ...composed, content: { ...composed.content, cc: copies } };
}
