import { alertNoticeKinds, buildAlertPath, describeAlertRule, getAlertKind } from '@belfry/shared';
import { formatTime } from './check-rule';
import type { Notice } from './notifications.sql';
import type { AlertText } from './send-alert';

type Described = Pick<
  Notice,
  | 'appId'
  | 'appName'
  | 'noticeKind'
  | 'firedAt'
  | 'resolvedAt'
  | 'sentence'
  | 'channel'
  | 'provider'
  | 'ruleKind'
  | 'params'
  | 'watchedChannel'
>;

const hourMs = 60 * 60_000;

/** The text of a notification: app, facts, times and link, without personal data. */
export function writeAlertText(notice: Described, dashboardUrl: string): AlertText {
  const { appName, noticeKind, firedAt, resolvedAt, sentence, ruleKind, params } = notice;
  const rule = describeAlertRule({ kind: ruleKind, params, watched: notice.watchedChannel });
  const facts = noticeKind === 'resolved' ? `Last facts: ${sentence}` : sentence;
  const lines = [
    facts,
    '',
    `App: ${appName}`,
    `Rule: ${rule}`,
    `Since: ${formatTime(firedAt)}`,
    ...(resolvedAt ? [`Resolved: ${formatTime(resolvedAt)}`] : []),
    `Log: ${buildLink(notice, dashboardUrl)}`,
  ];
  const subject = `${alertNoticeKinds[noticeKind]}: ${getAlertKind(ruleKind).label}, ${appName}`;
  return { subject, body: lines.join('\n') };
}

/** The log from an hour before the alert, because its messages were accepted earlier. */
function buildLink(notice: Described, dashboardUrl: string): string {
  const { appId, ruleKind, channel, provider, firedAt } = notice;
  const path = buildAlertPath(
    { appId, kind: ruleKind },
    {
      channel: channel ?? undefined,
      provider: provider ?? undefined,
      fromMs: firedAt.getTime() - hourMs,
    },
  );
  return `${dashboardUrl.replace(/\/$/, '')}${path}`;
}
