import {
  createUserAnswer,
  deviceAnswer,
  deviceBody,
  sdkUserBody,
  topicsBody,
} from '@belfry/shared';
import { type TSchema, Type } from '@sinclair/typebox';
import { bodyTooLarge } from '../middleware/before-body';
import type { Operation } from '../operation';
import { deviceExample } from './devices';
import { maxInboxBodyBytes } from './inbox';
import { missingSignature } from './inbox-operations';
import { maxDevicesOfBrowsers } from './sdk';
import { userExample } from './users';

const base = '/v1/apps/{app_id}';
const userId = 'customer-1';

const tooLarge = { text: bodyTooLarge(maxInboxBodyBytes).message };
const success = {
  answer: Type.Object({ success: Type.Boolean() }),
  answerExample: { success: true },
};

const signed = {
  access: 'reader',
  errors: { unauthenticated: missingSignature, user_not_found: {} },
} satisfies Partial<Operation>;

const webDevice = { ...deviceExample, platform: 'web' };

const topics = {
  ...signed,
  ...success,
  method: 'post',
  description: `Changes FCM topics of the enabled FCM devices of the user, by the FCM integration of the app. Before sign-in, the token is sent as
\`device_id\` and \`fcm_token\`, and the signature is over the token. Each topic is a request to Google. In the sandbox, nothing is changed.`,
  body: topicsBody,
  bodyExamples: {
    user: { summary: 'Devices of a user', value: { user_id: userId, topics: ['news'] } },
  },
  errors: {
    ...signed.errors,
    body_too_large: tooLarge,
    validation_failed: { text: 'topics must not be null' },
    push_not_configured: { text: 'the app has no fcm integration' },
  },
} satisfies Partial<Operation>;

const readUser = {
  ...signed,
  method: 'get',
  path: `${base}/users/{user_id}/sdk`,
  id: 'readOwnUser',
  summary: 'Read the signed-in user',
  description: 'Like reading a user with the API key.',
  answerExample: userExample,
} satisfies Omit<Operation, 'answer'>;

const createUser = {
  ...signed,
  method: 'post',
  path: `${base}/users/sdk`,
  id: 'createOwnUser',
  summary: 'Create the signed-in user',
  description: 'Changes nothing if the user already exists. Reads only the `user_id`.',
  body: sdkUserBody,
  bodyExamples: { user: { summary: 'A user', value: { user_id: userId } } },
  answerExample: userExample,
  errors: {
    unauthenticated: missingSignature,
    validation_failed: { text: 'user_id must not be blank' },
    body_too_large: tooLarge,
    storage_limit: {},
  },
} satisfies Omit<Operation, 'answer'>;

const addDevice = {
  ...signed,
  method: 'post',
  path: `${base}/users/{user_id}/devices/sdk`,
  id: 'addOwnDevice',
  summary: 'Register this browser',
  description: `Like adding a device with the API key, with an \`fcm_token\` or a \`push_subscription\`. A user may have ${maxDevicesOfBrowsers} devices.`,
  body: deviceBody,
  bodyExamples: {
    fcm: { summary: 'FCM', value: { platform: 'web', fcm_token: 'a-push-token' } },
  },
  answer: deviceAnswer,
  answerExample: webDevice,
  errors: {
    ...signed.errors,
    validation_failed: { text: 'platform must be one of android, web, ios' },
    body_too_large: tooLarge,
    storage_limit: {},
  },
} satisfies Operation;

const removeDevice = {
  ...signed,
  ...success,
  method: 'delete',
  path: `${base}/users/{user_id}/devices/{device_id}/sdk`,
  id: 'deleteOwnDevice',
  summary: 'Remove this browser',
  description: 'Like deleting a device with the API key.',
  errors: { ...signed.errors, device_not_found: {} },
} satisfies Operation;

/** The documentation of the routes in `sdk.ts`. */
export function listSdkOperations(extraFields: Record<string, TSchema>): Operation[] {
  const answer = createUserAnswer(extraFields);
  return [
    { ...createUser, answer },
    { ...readUser, answer },
    addDevice,
    removeDevice,
    {
      ...topics,
      path: `${base}/push/fcm/subscribe-topic`,
      id: 'subscribeToTopics',
      summary: 'Subscribe to topics',
    },
    {
      ...topics,
      path: `${base}/push/fcm/unsubscribe-topic`,
      id: 'unsubscribeFromTopics',
      summary: 'Unsubscribe from topics',
    },
  ];
}
