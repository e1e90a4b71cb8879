import type { IdempotentHandler } from '@belfry/pipeline/accept';
import type { AppReport, writeAppReport } from '@belfry/pipeline/operate';
import type { Logger } from '@belfry/runtime';
import {
  createValidator,
  pushStatusAnswer,
  pushStatusBody,
  pushStatusFromWire,
} from '@belfry/shared';
import type { Operation } from '../operation';
import type { PostCall } from '../post';

export type PushStatusDeps = {
  writeAppReport(report: AppReport, answer: string): ReturnType<typeof writeAppReport>;
  log: Logger;
};

/** `POST /v1/apps/{app_id}/push/status`: what an app tells of a notification, as a receipt of its message. */
export function createPushStatusRoute({ writeAppReport, log }: PushStatusDeps) {
  function prepare({ callId, caller, body }: PostCall): IdempotentHandler {
    const parsedBody = validate(body);
    const { messageId, type, state } = pushStatusFromWire(parsedBody);
    const report = {
      callId,
      accountId: caller.accountId,
      appId: caller.app.id,
      messageId,
      state,
      detail: `The app reported ${type}.`,
      body: JSON.stringify(parsedBody).slice(0, maxStoredCharacters),
      // Not `current_timestamp`: a call that is made again has another one.
      identity: `${type} ${parsedBody.timestamp ?? ''}`,
    };
    return {
      async run(key) {
        const { result, effect } = await writeAppReport({ ...report, key }, answer);
        // A notification that is not known is no error: an app would tell of it again and again.
        if (effect && !effect.isRepeat) {
          log.info('receipt.stored', {
            app_id: report.appId,
            message_id: effect.messageId,
            outcome: state,
            state: effect.movedTo,
          });
        }
        return result;
      },
    };
  }

  return { operation, prepare };
}

const validate = createValidator(pushStatusBody);
const maxStoredCharacters = 2_000;
const answer = '{"success":true}';

const operation = {
  method: 'post',
  path: '/v1/apps/{app_id}/push/status',
  id: 'reportPushStatus',
  summary: 'Report what became of a push',
  description: `For the apps that receive notifications of the channels \`push\` and \`onesignal\`. DELIVERED and DISMISSED make the message
\`delivered\`, CLICKED makes it \`read\`; a state only moves forward. A \`notification_id\` that is not known changes nothing and is no
error. Both times are kept as they came, in milliseconds or microseconds.`,
  body: pushStatusBody,
  bodyExamples: {
    delivered: {
      summary: 'It was shown',
      value: {
        notification_id: '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03',
        type: 'DELIVERED',
        timestamp: 1767225600000,
        current_timestamp: 1767225600250,
      },
    },
    clicked: {
      summary: 'It was opened',
      value: { notification_id: '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03', type: 'CLICKED' },
    },
  },
  answer: pushStatusAnswer,
  answerExample: { success: true },
  errors: { validation_failed: { text: 'notification_id must not be blank' } },
} satisfies Operation;
