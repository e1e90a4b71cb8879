import {
  AppError,
  createValidator,
  inAppStatusBody,
  pushStatusAnswer,
  pushStatusBody,
  webPushKeyAnswer,
} from '@belfry/shared';
import type { RequestHandler } from 'express';
import { bodyTooLarge } from '../middleware/before-body';
import { createOpenCalls, type OpenCallsDeps } from '../open-calls';
import type { Operation } from '../operation';
import { maxInboxBodyBytes } from './inbox';
import { buildReport, type PushStatusDeps, storeReport } from './push-status';

export type OpenPushDeps = PushStatusDeps &
  Pick<OpenCallsDeps, 'takeOpenCall'> & {
    /** Whether the message exists in the app and was sent, so that a browser can have it. */
    isReportable(appId: string, messageId: string): Promise<boolean>;
    /** The public key of the app's web_push integration. */
    findWebPushKey(appId: string): Promise<string | undefined>;
  };

type OpenPushRoutes = Record<'pushStatus' | 'inAppStatus' | 'webPushKey', RequestHandler>;

/** The push routes that browsers call without any credential. */
export function createOpenPushRoutes(deps: OpenPushDeps, calls: OpenCallsDeps): OpenPushRoutes {
  const { withBody, withoutBody } = createOpenCalls(calls);

  /**
   * The ID of the message is the capability: 62 random bits that only the device and the account know. The report can only
   * move that message forward, and each kind of report is stored once.
   */
  const pushStatus = withBody(validateStatus, async ({ callId, app, body }) => {
    const report = app && buildReport(body, { callId, app });
    if (report && (await deps.isReportable(report.appId, report.messageId))) {
      await storeReport(deps, { ...report, identity: `open ${body.type}`, key: undefined });
    }
    return success;
  });

  /** An inbox item is delivered once it is stored, so there is nothing to change. */
  const inAppStatus = withBody(validateInAppStatus, async () => success);

  const webPushKey = withoutBody(async ({ app }) => {
    const publicKey = app && (await deps.findWebPushKey(app.id));
    if (publicKey === undefined) throw new AppError('push_not_configured');
    return { public_key: publicKey };
  });

  return { pushStatus, inAppStatus, webPushKey };
}

const validateStatus = createValidator(pushStatusBody);
const validateInAppStatus = createValidator(inAppStatusBody);
const success = { success: true };

/** The documentation of the routes, besides push status, which backends call too. */
export const openPushOperations = {
  webPushKey: {
    method: 'get',
    path: '/v1/apps/{app_id}/push/web_push_key',
    id: 'readWebPushKey',
    summary: 'Read the public key for web push',
    description:
      'A page passes it to `pushManager.subscribe()` as `applicationServerKey`. Needs no credential, and any origin may call. New keys of the integration make all subscriptions invalid.',
    access: 'open',
    answer: webPushKeyAnswer,
    answerExample: {
      public_key:
        'BNvLP_swI0KBo3RU243SwjSA92rPAP2OhL0NbRcR7748sMhZfgk84GBioVCKKTz65NNrrIx4WiS2qxuV7YmMyyU',
    },
    errors: { push_not_configured: {} },
  },
  inAppStatus: {
    method: 'post',
    path: '/v1/apps/{app_id}/in_app/status',
    id: 'reportInAppStatus',
    summary: 'Report an in-app message as delivered',
    description:
      'For existing browser SDKs. Changes nothing: an in-app message is `delivered` once it is in the inbox. Needs no credential.',
    access: 'open',
    body: inAppStatusBody,
    bodyExamples: {
      delivered: {
        summary: 'Delivered',
        value: { notification_id: '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03', status: 'DELIVERED' },
      },
    },
    answer: pushStatusAnswer,
    answerExample: success,
    errors: {
      body_too_large: { text: bodyTooLarge(maxInboxBodyBytes).message },
      validation_failed: { text: 'notification_id must not be blank' },
    },
  },
} satisfies Record<string, Operation>;
