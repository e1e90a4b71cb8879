import type { FailingEndpoint } from '@belfry/pipeline/webhooks';
import { webhookDisabledReasons } from '@belfry/shared';
import type { Finding } from './doctor-check';

/** Webhook endpoints that fail, or that Belfry disabled. An operator may have disabled others. */
export function judgeWebhooks(endpoints: FailingEndpoint[]): Finding[] {
  if (endpoints.length === 0) {
    return [{ name: 'webhooks', state: 'ok', detail: 'No webhook endpoint fails.' }];
  }
  return endpoints.map(({ appName, host, disabledReason, failingSince, lastError }): Finding => {
    const subject = `${host} of the app "${appName}"`;
    const state = disabledReason
      ? `is disabled. ${webhookDisabledReasons[disabledReason]}`
      : `fails since ${failingSince?.toISOString()}.`;
    const detail = [`${subject} ${state}`, lastError].filter(Boolean).join(' ');
    return { name: 'webhooks', state: 'warning', detail };
  });
}
