import type { Users, UserWrite } from '@belfry/database';
import type { AnsweredCall, AnsweredWrite, IdempotentHandler } from '@belfry/pipeline/accept';
import {
  AppError,
  collectExtraFields,
  createUserAnswer,
  createUserBody,
  createValidator,
  type StoredUser,
  userFromWire,
  userToWire,
  type WireChannels,
} from '@belfry/shared';
import type { Answer } from '../call';
import type { Operation } from '../operation';
import { readUserId } from '../path-values';
import type { PostCall, RouteCall } from '../post';
import { deviceExample } from './devices';

export type UserRoutesDeps = {
  channels: WireChannels;
  users: Pick<Users, 'findWholeUser'> & {
    /** Stores the response body from `toBody` with the idempotency key. */
    writeUser(
      write: UserWrite & AnsweredCall,
      toBody: (user: StoredUser) => string,
    ): Promise<AnsweredWrite>;
  };
};

/** `POST /v1/apps/{app_id}/users` and `GET /v1/apps/{app_id}/users/{user_id}` */
export function createUserRoutes({ channels, users }: UserRoutesDeps) {
  const extraFields = collectExtraFields(channels);
  const extraNames = Object.keys(extraFields);
  const bodySchema = createUserBody(extraFields);
  const answerSchema = createUserAnswer(extraFields);
  const validate = createValidator(bodySchema);

  function prepareWrite({ callId, caller, body }: PostCall): IdempotentHandler {
    const user = userFromWire(validate(body), extraNames);
    const { accountId, app } = caller;
    return {
      run: (key) => users.writeUser({ callId, accountId, appId: app.id, key, user }, buildBody),
    };
  }

  async function read({ caller, path }: RouteCall): Promise<Answer> {
    const userId = readUserId(path);
    const user = await users.findWholeUser(caller.app.id, userId);
    if (!user) throw userNotFound();
    return { status: 200, body: buildBody(user) };
  }

  function buildBody(user: StoredUser): string {
    return JSON.stringify(userToWire(user, extraNames));
  }

  return {
    write: {
      operation: { ...writeOperation, body: bodySchema, answer: answerSchema },
      prepare: prepareWrite,
    },
    read: { operation: { ...readOperation, answer: answerSchema }, answer: read },
  };
}

function userNotFound(): AppError {
  return new AppError('user_not_found');
}

const writePath = '/v1/apps/{app_id}/users';

export const userExample = {
  user_sid: '0199b1f4-8f2a-7c3e-9d51-3a1f0c6b7e42',
  user_id: 'customer-1',
  email: 'ana@example.com',
  mobile: '+12025550123',
  slack: { access_token: '********', channel_id: 'C012345678' },
  telegram: { chat_id: '123456' },
  preferences: { locale: 'de', channel_preferences: { sms: { disabled: true } } },
  devices: [deviceExample],
  created_at: 1767225600000,
  updated_at: 1767225600000,
};

const writeOperation = {
  method: 'post',
  path: writePath,
  id: 'writeUser',
  summary: 'Create or update a user',
  description: `An unknown \`user_id\` creates a user. Fields that are absent or null stay unchanged, and an empty string clears a field.
\`slack\`, \`telegram\` and \`preferences\` are merged by member. An invalid address or phone number is stored and does not refuse the
request. The response is the whole user with the Slack token masked. Sending the mask back changes nothing.`,
  bodyExamples: {
    user: {
      summary: 'User with several addresses',
      value: {
        user_id: 'customer-1',
        email: 'ana@example.com',
        mobile: '+12025550123',
        slack: { access_token: 'xoxb-a-bot-token', channel_id: 'C012345678' },
        telegram: { chat_id: '123456' },
        preferences: { locale: 'de', channel_preferences: { sms: { disabled: true } } },
      },
    },
    change: {
      summary: 'New e-mail address only',
      value: { user_id: 'customer-1', email: 'ana@example.com' },
    },
  },
  answerExample: userExample,
  errors: { validation_failed: { text: 'user_id must not be blank' } },
} satisfies Omit<Operation, 'body' | 'answer'>;

const readOperation = {
  method: 'get',
  path: '/v1/apps/{app_id}/users/{user_id}',
  id: 'readUser',
  summary: 'Read a user with its devices',
  description:
    'Values are returned as sent. The Slack token is masked, or empty if none is stored.',
  answerExample: userExample,
  errors: { user_not_found: {} },
} satisfies Omit<Operation, 'body' | 'answer'>;
