import type { TopicResult } from '@belfry/channels';
import type { AnsweredWrite } from '@belfry/pipeline/accept';
import type { InboxAddress } from '@belfry/pipeline/operate';
import {
  AppError,
  collectExtraFields,
  createValidator,
  type DeviceBody,
  type DeviceChange,
  deviceBody,
  deviceFromWire,
  deviceToWire,
  type StoredUser,
  sdkUserBody,
  type TopicsBody,
  topicsBody,
  userToWire,
} from '@belfry/shared';
import type { RequestHandler } from 'express';
import { readDeviceId } from '../path-values';
import { invalidValue } from '../query-values';
import type { ReaderCalls } from '../reader-calls';
import { requireStorage } from '../storage-limit';
import type { DeviceRoutesDeps } from './devices';
import type { InboxRoutesDeps } from './inbox';
import type { UserRoutesDeps } from './users';

export type SdkRoutesDeps = InboxRoutesDeps &
  UserRoutesDeps &
  DeviceRoutesDeps & {
    /** Changes a topic of these tokens with the app's FCM integration; undefined if the app has none. */
    changeTopic(change: TopicCall): Promise<TopicResult | undefined>;
    newId: () => string;
  };

export type TopicCall = {
  appId: string;
  action: 'subscribe' | 'unsubscribe';
  topic: string;
  tokens: readonly string[];
  signal: AbortSignal;
};

type SdkRoutes = Record<
  'readUser' | 'createUser' | 'addDevice' | 'removeDevice' | 'subscribe' | 'unsubscribe',
  RequestHandler
>;

/** A user can add a device with every call, so the number is limited. */
export const maxDevicesOfBrowsers = 100;

/**
 * The routes that browser SDKs call for devices and topics. A token or signature of the user replaces the API key, so they
 * reach only this user. They ignore an Idempotency-Key because they are idempotent by design.
 */
export function createSdkRoutes(
  deps: SdkRoutesDeps,
  { byBody, byPath, byPathWithBody }: Pick<ReaderCalls, 'byBody' | 'byPath' | 'byPathWithBody'>,
): SdkRoutes {
  const { inbox, users, devices } = deps;
  const extraNames = Object.keys(collectExtraFields(deps.channels));

  const readUser = byPath(async ({ address }) => userToWire(await getUser(address), extraNames));

  const createUser = byBody(validateUser, async ({ address, app }) => {
    // A front end calls this on every start, so it must keep working for a stored user.
    if (app.isStorageFull && !(await inbox.isUserStored(address))) requireStorage(app);
    await inbox.ensureUser(address);
    return userToWire(await getUser(address), extraNames);
  });

  const addDevice = byPathWithBody(validateDevice, async ({ address, app }, body) => {
    requireStorage(app);
    const device = deviceFromWire(body);
    const { devices: stored } = await getUser(address);
    const isKnown = stored.some(({ token }) => token === getToken(device));
    if (stored.length >= maxDevicesOfBrowsers && !isKnown) throw tooManyDevices();
    const call = { callId: deps.newId(), accountId: app.accountId, key: undefined };
    const outcome = await devices.addDevice({ ...address, ...call, device }, (row) =>
      JSON.stringify(deviceToWire(row, address.userId)),
    );
    return readBody(outcome);
  });

  const removeDevice = byPath(async ({ address, path }) => {
    await devices.deleteDevice({ ...address, deviceId: readDeviceId(path) });
    return success;
  });

  const changeTopics = (action: TopicCall['action']) =>
    byBody(validateTopics, async ({ address, app }, { topics, token }) => {
      const tokens = token === undefined ? await listTokens(address) : [token];
      if (app.delivery === 'live') {
        await changeEachTopic(deps, { appId: address.appId, action, tokens }, topics);
      }
      return success;
    });

  return {
    readUser,
    createUser,
    addDevice,
    removeDevice,
    subscribe: changeTopics('subscribe'),
    unsubscribe: changeTopics('unsubscribe'),
  };

  async function listTokens(address: InboxAddress): Promise<string[]> {
    const { devices: stored } = await getUser(address);
    return stored.flatMap(({ token, subscription, notificationsDisabled }) =>
      token === null || subscription || notificationsDisabled ? [] : [token],
    );
  }

  async function getUser({ appId, userId }: InboxAddress): Promise<StoredUser> {
    const user = await users.findWholeUser(appId, userId);
    if (!user) throw new AppError('user_not_found');
    return user;
  }
}

/** One call for each topic, within one time limit. */
async function changeEachTopic(
  { changeTopic }: SdkRoutesDeps,
  call: Omit<TopicCall, 'topic' | 'signal'>,
  topics: readonly string[],
): Promise<void> {
  const signal = AbortSignal.timeout(topicsTimeoutMs);
  for (const topic of topics) {
    const result = await changeTopic({ ...call, topic, signal });
    if (!result) throw new AppError('push_not_configured', 'the app has no fcm integration');
    if ('failed' in result) throw new AppError('unavailable', result.failed);
    if (result.changed === 0 && result.refused > 0) {
      throw invalidValue('fcm_token', 'is not a token of the Firebase project of this app');
    }
  }
}

const topicsTimeoutMs = 10_000;

const success = { success: true };
const validateUser = createValidator(sdkUserBody);
const validateDeviceBody = createValidator(deviceBody);
const validateTopicsBody = createValidator(topicsBody);

/** Without an address, each call would add another useless device. */
function validateDevice(body: unknown): DeviceBody {
  const device = validateDeviceBody(body);
  if (device.fcm_token?.trim() || device.push_subscription) return device;
  throw invalidValue('fcm_token', 'must not be blank, unless there is a push_subscription');
}

/**
 * `user_id` is what the signature is over: the user, or before sign-in the token, which the clients send as `device_id` and
 * `fcm_token`.
 */
function validateTopics(body: unknown): { user_id: string; token?: string; topics: string[] } {
  const { user_id, device_id, fcm_token, topics }: TopicsBody = validateTopicsBody(body);
  if (user_id !== undefined) return { user_id, topics };
  if (!fcm_token?.trim()) throw invalidValue('user_id', 'must not be blank');
  if (device_id !== fcm_token) throw invalidValue('device_id', 'must be the fcm_token');
  return { user_id: fcm_token, token: fcm_token.trim(), topics };
}

function getToken({ fcmToken, pushSubscription }: DeviceChange): string | undefined {
  return fcmToken ?? pushSubscription?.endpoint;
}

function readBody(outcome: AnsweredWrite): object {
  if (!outcome.isWritten) throw new Error('A call without an idempotency key cannot be a replay');
  return JSON.parse(outcome.body) as object;
}

function tooManyDevices(): AppError {
  const problem = `must be deleted first: the user has ${maxDevicesOfBrowsers} devices`;
  return invalidValue('an old device', problem);
}
