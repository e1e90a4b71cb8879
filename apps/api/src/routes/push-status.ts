import type { AnsweredWrite, IdempotentHandler } from '@belfry/pipeline/accept';
import type { AppReport, writeAppReport } from '@belfry/pipeline/operate';
import type { Logger } from '@belfry/runtime';
import {
  createValidator,
  type PushStatusBody,
  pushStatusAnswer,
  pushStatusBody,
  pushStatusFromWire,
} from '@belfry/shared';
import type { App } from '../middleware/before-body';
import type { Operation } from '../operation';
import type { PostCall } from '../post';

export type PushStatusDeps = {
  writeAppReport(report: AppReport, answer: string): ReturnType<typeof writeAppReport>;
  log: Logger;
};

/** `POST /v1/apps/{app_id}/push/status`: stores the report of an app as a receipt of the message. */
export function createPushStatusRoute(deps: PushStatusDeps) {
  function prepare({ callId, caller, body }: PostCall): IdempotentHandler {
    const parsedBody = validate(body);
    const report = buildReport(parsedBody, { callId, app: caller.app });
    // Without `current_timestamp`, which differs in a repeated call.
    const identity = `${parsedBody.type} ${parsedBody.timestamp ?? ''}`;
    return { run: (key) => storeReport(deps, { ...report, identity, key }) };
  }

  return { operation, prepare };
}

type StatusCall = { callId: string; app: Pick<App, 'id' | 'accountId'> };

export function buildReport(
  body: PushStatusBody,
  { callId, app }: StatusCall,
): Omit<AppReport, 'identity' | 'key'> & { messageId: string } {
  const { messageId, type, state } = pushStatusFromWire(body);
  return {
    callId,
    accountId: app.accountId,
    appId: app.id,
    messageId,
    state,
    detail: `The app reported ${type}.`,
    body: JSON.stringify(body).slice(0, maxStoredCharacters),
  };
}

/** An unknown notification is not an error, because the app would report it again and again. */
export async function storeReport(
  { writeAppReport, log }: PushStatusDeps,
  report: AppReport,
): Promise<AnsweredWrite> {
  const { result, effect } = await writeAppReport(report, answer);
  if (effect && !effect.isRepeat) {
    log.info('receipt.stored', {
      app_id: report.appId,
      message_id: effect.messageId,
      outcome: report.state,
      state: effect.movedTo,
    });
  }
  return result;
}

const validate = createValidator(pushStatusBody);
const maxStoredCharacters = 2_000;
const answer = '{"success":true}';

const operation = {
  method: 'post',
  path: '/v1/apps/{app_id}/push/status',
  id: 'reportPushStatus',
  summary: 'Report the status of a push notification',
  description: `For apps that receive notifications of the channels \`push\` and \`onesignal\`. DELIVERED and DISMISSED set the message to
\`delivered\`, CLICKED sets it to \`read\`. States only move forward. An unknown \`notification_id\` changes nothing and is not an
error. Both timestamps are stored as sent, in milliseconds or microseconds. Service workers may call without a credential and from
any origin: they need the \`notification_id\`, and each \`type\` counts once.`,
  access: 'key_or_open',
  body: pushStatusBody,
  bodyExamples: {
    delivered: {
      summary: 'Shown',
      value: {
        notification_id: '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03',
        type: 'DELIVERED',
        timestamp: 1767225600000,
        current_timestamp: 1767225600250,
      },
    },
    clicked: {
      summary: 'Opened',
      value: { notification_id: '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03', type: 'CLICKED' },
    },
  },
  answer: pushStatusAnswer,
  answerExample: { success: true },
  errors: {
    unauthenticated: { text: 'the API key is not valid' },
    validation_failed: { text: 'notification_id must not be blank' },
  },
} satisfies Operation;
