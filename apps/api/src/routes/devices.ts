import type { KeyedWork } from '@belfry/accepting';
import type { DeviceAddress, Devices, DeviceUpdate } from '@belfry/database';
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
import type { Answer } from '../answer';
import type { Operation } from '../openapi';
import { deviceIdOf, userIdOf } from '../path-values';
import type { PostCall, RouteCall } from '../post';

export type DeviceRoutesDeps = { devices: Devices };

/** The routes below `/v1/apps/{app_id}/users/{user_id}/devices` */
export function createDeviceRoutes({ devices }: DeviceRoutesDeps) {
  function prepareAdd(call: PostCall): KeyedWork {
    const body = validateNew(call.body);
    const userId = userIdOf(call.path);
    const knownSid = body.device_sid?.trim();
    const newDevice = {
      ...callerOf(call),
      userId,
      device: deviceFromWire(body),
      ...(knownSid ? { knownSid } : {}),
    };
    return { run: (key) => devices.addDevice({ ...newDevice, key }, bodyFor(userId)) };
  }

  function prepareUpdate(call: PostCall): KeyedWork {
    const change = changeOf(call);
    return { run: (key) => devices.updateDevice({ ...change, key }, bodyFor(change.userId)) };
  }

  async function update(call: RouteCall & { body: Json }): Promise<Answer> {
    const change = { ...changeOf(call), key: undefined };
    const written = await devices.updateDevice(change, bodyFor(change.userId));
    if (!written.isWritten) throw new Error('A call without a key met a stored answer');
    return { status: 200, body: written.body };
  }

  async function read(call: RouteCall): Promise<Answer> {
    const address = addressOf(call);
    const device = await devices.getDevice(address);
    return { status: 200, body: bodyFor(address.userId)(device) };
  }

  async function remove(call: RouteCall): Promise<Answer> {
    await devices.deleteDevice(addressOf(call));
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

function callerOf({ callId, caller }: RouteCall) {
  return { callId, accountId: caller.accountId, appId: caller.app.id };
}

function addressOf({ caller, path }: RouteCall): DeviceAddress {
  return { appId: caller.app.id, userId: userIdOf(path), deviceId: deviceIdOf(path) };
}

function changeOf(call: RouteCall & { body: Json }): Omit<DeviceUpdate, 'key'> {
  const device = deviceFromWire(validateChange(call.body));
  return { ...callerOf(call), ...addressOf(call), device };
}

function bodyFor(ownerId: string): (device: StoredDevice) => string {
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

const bodyExample = { fcm_token: 'a-push-token', platform: 'android' };

const addOperation = {
  method: 'post',
  path: devicesPath,
  id: 'addDevice',
  summary: 'Add a device to a user.',
  body: newDeviceBody,
  answer: deviceAnswer,
  example: { body: bodyExample, answer: deviceExample },
  errors: ['user_not_found'],
} satisfies Operation;

const ofDevice = {
  path: devicePath,
  answer: deviceAnswer,
  example: { answer: deviceExample },
  errors: ['user_not_found', 'device_not_found'],
} satisfies Partial<Operation>;

const updateOperation = {
  ...ofDevice,
  method: 'put',
  id: 'updateDevice',
  summary: 'Update a device. An Idempotency-Key has no effect.',
  body: deviceBody,
  example: { body: bodyExample, answer: deviceExample },
} satisfies Operation;

const updateByPostOperation = {
  ...updateOperation,
  method: 'post',
  id: 'updateDeviceByPost',
  summary: 'Update a device, as by PUT.',
} satisfies Operation;

const readOperation = {
  ...ofDevice,
  method: 'get',
  id: 'readDevice',
  summary: 'Read a device.',
} satisfies Operation;

const removeOperation = {
  ...ofDevice,
  method: 'delete',
  id: 'deleteDevice',
  summary: 'Delete a device.',
  answer: Type.Object({ success: Type.Boolean() }),
  example: { answer: { success: true } },
} satisfies Operation;
