import type { KeyedWork } from '@belfry/accepting';
import type { Users } from '@belfry/database';
import {
  AppError,
  createUserAnswer,
  createUserBody,
  createValidator,
  extraFieldsOf,
  type StoredUser,
  userFromWire,
  userToWire,
  type WireChannels,
} from '@belfry/shared';
import type { Answer } from '../answer';
import type { Operation } from '../openapi';
import { userIdOf } from '../path-values';
import type { PostCall, RouteCall } from '../post';
import { deviceExample } from './devices';

export type UserRoutesDeps = { channels: WireChannels; users: Users };

/** `POST /v1/apps/{app_id}/users` and `GET /v1/apps/{app_id}/users/{user_id}` */
export function createUserRoutes({ channels, users }: UserRoutesDeps) {
  const extraFields = extraFieldsOf(channels);
  const extraNames = Object.keys(extraFields);
  const bodySchema = createUserBody(extraFields);
  const answerSchema = createUserAnswer(extraFields);
  const validate = createValidator(bodySchema);

  function prepareWrite({ callId, caller, body }: PostCall): KeyedWork {
    const user = userFromWire(validate(body), extraNames);
    const { accountId, app } = caller;
    return {
      run: (key) => users.writeUser({ callId, accountId, appId: app.id, key, user }, bodyOf),
    };
  }

  async function read({ caller, path }: RouteCall): Promise<Answer> {
    const userId = userIdOf(path);
    const user = await users.findWholeUser(caller.app.id, userId);
    if (!user) throw userNotFound();
    return { status: 200, body: bodyOf(user) };
  }

  function bodyOf(user: StoredUser): string {
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
  return new AppError('user_not_found', 'user not found');
}

const writePath = '/v1/apps/{app_id}/users';

const userExample = {
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
  summary: 'Create or update a user.',
  example: {
    body: {
      user_id: 'customer-1',
      email: 'ana@example.com',
      mobile: '+12025550123',
      slack: { access_token: 'xoxb-a-bot-token', channel_id: 'C012345678' },
      telegram: { chat_id: '123456' },
      preferences: { locale: 'de', channel_preferences: { sms: { disabled: true } } },
    },
    answer: userExample,
  },
  errors: [],
} satisfies Omit<Operation, 'body' | 'answer'>;

const readOperation = {
  method: 'get',
  path: '/v1/apps/{app_id}/users/{user_id}',
  id: 'readUser',
  summary: 'Read a user with its devices.',
  example: { answer: userExample },
  errors: ['user_not_found'],
} satisfies Omit<Operation, 'body' | 'answer'>;
