import { getOwn } from '@belfry/shared';
import type { AuditPage, AuditRow } from '../../api/audit';
import { type AbsolutePath, type AppPage, buildPath } from '../route';

/** Pages that list a kind of thing; the part of an action before its dot. */
const appPages: Record<string, AppPage> = {
  alert: 'alerts',
  app: 'log',
  capture: 'sandbox',
  captures: 'sandbox',
  channel: 'queues',
  event: 'events',
  filter: 'log',
  integration: 'integrations',
  message: 'log',
  resend: 'resends',
  sending: 'queues',
  suppression: 'users',
  user: 'users',
  webhook: 'webhooks',
};
const withDetails: readonly string[] = ['event', 'integration', 'resend', 'webhook'];
const accountPages: Record<string, AbsolutePath> = {
  inbox_secret: '/apps',
  invitation: '/people',
  key: '/keys',
  operator: '/people',
};

/** The page of the changed thing. Undefined if it has none or was removed. */
export function getSubjectPath(
  { action, appId, subject }: Pick<AuditRow, 'action' | 'appId' | 'subject'>,
  names: AuditPage['names'],
): AbsolutePath | undefined {
  const [kind = ''] = action.split('.');
  const accountPage = getOwn(accountPages, kind);
  if (accountPage !== undefined) return accountPage;
  const page = getOwn(appPages, kind);
  if (page === undefined || appId === null || getOwn(names, appId)?.isRemoved !== false)
    return undefined;
  const name = getOwn(names, subject);
  if (kind === 'message')
    return name?.requestId ? buildPath(appId, page, name.requestId) : undefined;
  if (name?.isRemoved) return undefined;
  const hasPage = kind === 'resend' || (withDetails.includes(kind) && name !== undefined);
  return buildPath(appId, page, hasPage ? subject : undefined);
}
