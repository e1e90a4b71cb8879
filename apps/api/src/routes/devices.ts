import type { DeviceAddress, Devices, DeviceUpdate, NewDevice } from '@belfry/database';
import type { AnsweredCall, AnsweredWrite, IdempotentHandler } from '@belfry/pipeline/accept';
import {
  createValidator,
  deviceAnswer,
  deviceBody,
  deviceFromWire,
  deviceToWire,
  type Json,
  newDeviceBody,
  type StoredDevice,
} from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import type { Answer } from '../call';
import type { Operation } from '../operation';
import { readDeviceId, readUserId } from '../path-values';
import type { PostCall, RouteCall } from '../post';

type ToBody = (device: StoredDevice) => string;

export type DeviceRoutesDeps = {
  devices: Pick<Devices, 'getDevice' | 'deleteDevice'> & {
    /** Both store the response body from `toBody` with the idempotency key. */
    addDevice(device: NewDevice & AnsweredCall, toBody: ToBody): Promise<AnsweredWrite>;
    updateDevice(update: DeviceUpdate & AnsweredCall, toBody: ToBody): Promise<AnsweredWrite>;
  };
};

/** The routes under `/v1/apps/{app_id}/users/{user_id}/devices` */
export function createDeviceRoutes({ devices }: DeviceRoutesDeps) {
  function prepareAdd(call: PostCall): IdempotentHandler {
    const body = validateNew(call.body);
    const userId = readUserId(call.path);
    const deviceSid = body.device_sid?.trim();
    const newDevice = {
      ...getCallIds(call),
      userId,
      device: deviceFromWire(body),
      ...(deviceSid ? { knownSid: deviceSid } : {}),
    };
    return { run: (key) => devices.addDevice({ ...newDevice, key }, bodyFor(userId)) };
  }

  function prepareUpdate(call: PostCall): IdempotentHandler {
    const change = buildChange(call);
    return { run: (key) => devices.updateDevice({ ...change, key }, bodyFor(change.userId)) };
  }

  async function update(call: RouteCall & { body: Json }): Promise<Answer> {
    const change = { ...buildChange(call), key: undefined };
    const outcome = await devices.updateDevice(change, bodyFor(change.userId));
    if (!outcome.isWritten)
      throw new Error('A request without an idempotency key cannot be a replay');
    return { status: 200, body: outcome.body };
  }

  async function read(call: RouteCall): Promise<Answer> {
    const address = getAddress(call);
    const device = await devices.getDevice(address);
    return { status: 200, body: bodyFor(address.userId)(device) };
  }

  async function remove(call: RouteCall): Promise<Answer> {
    await devices.deleteDevice(getAddress(call));
    return { status: 200, body: '{"success":true}' };
  }

  return {
    add: { operation: addOperation, prepare: prepareAdd },
    updateByPost: { operation: updateByPostOperation, prepare: prepareUpdate },
    update: { operation: updateOperation, answer: update },
    read: { operation: readOperation, answer: read },
    remove: { operation: removeOperation, answer: remove },
  };
}

const validateNew = createValidator(newDeviceBody);
const validateChange = createValidator(deviceBody);

function getCallIds({ callId, caller }: RouteCall) {
  return { callId, accountId: caller.accountId, appId: caller.app.id };
}

function getAddress({ caller, path }: RouteCall): DeviceAddress {
  return { appId: caller.app.id, userId: readUserId(path), deviceId: readDeviceId(path) };
}

function buildChange(call: RouteCall & { body: Json }): Omit<DeviceUpdate & AnsweredCall, 'key'> {
  const device = deviceFromWire(validateChange(call.body));
  return { ...getCallIds(call), ...getAddress(call), device };
}

function bodyFor(ownerId: string): ToBody {
  return (device) => JSON.stringify(deviceToWire(device, ownerId));
}

const devicesPath = '/v1/apps/{app_id}/users/{user_id}/devices';
const devicePath = `${devicesPath}/{device_id}`;

export const deviceExample = {
  id: '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03',
  device_sid: '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03',
  raven_id: 'customer-1',
  fcm_token: 'a-push-token',
  platform: 'android',
  notifications_disabled: false,
  created_at: 1767225600000,
  updated_at: 1767225600000,
};

const bodyExamples = {
  push: {
    summary: 'A push token',
    value: { fcm_token: 'a-push-token', platform: 'android' },
  },
};

const wrongPlatform = { text: 'platform must be one of android, web, ios' };

const addOperation = {
  method: 'post',
  path: devicesPath,
  id: 'addDevice',
  summary: 'Add a device to a user',
  description: `A push token belongs to one device of the app. If this user already has a device with the token, that device is updated.
If another user has it, that device is removed and this user gets a new one. The path may end with a slash.`,
  body: newDeviceBody,
  bodyExamples,
  answer: deviceAnswer,
  answerExample: deviceExample,
  errors: { user_not_found: {}, validation_failed: wrongPlatform },
} satisfies Operation;

const deviceOperation = {
  path: devicePath,
  answer: deviceAnswer,
  answerExample: deviceExample,
  errors: { user_not_found: {}, device_not_found: {} },
} satisfies Partial<Operation>;

const updateOperation = {
  ...deviceOperation,
  method: 'put',
  id: 'updateDevice',
  summary: 'Update a device',
  description: 'Fields that are absent, null or empty strings stay unchanged.',
  body: deviceBody,
  bodyExamples,
  errors: { ...deviceOperation.errors, validation_failed: wrongPlatform },
} satisfies Operation;

const updateByPostOperation = {
  ...updateOperation,
  method: 'post',
  id: 'updateDeviceByPost',
  summary: 'Update a device (same as PUT)',
} satisfies Operation;

const readOperation = {
  ...deviceOperation,
  method: 'get',
  id: 'readDevice',
  summary: 'Read a device',
  description:
    'Includes `notifications_disabled`, which Belfry sets when the push token is no longer valid.',
} satisfies Operation;

const removeOperation = {
  ...deviceOperation,
  method: 'delete',
  id: 'deleteDevice',
  summary: 'Delete a device',
  description: 'Adding the same push token again creates a new device.',
  answer: Type.Object({ success: Type.Boolean() }),
  answerExample: { success: true },
} satisfies Operation;
