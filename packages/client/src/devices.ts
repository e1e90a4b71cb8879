import type { Transport } from './call';
import { wasDeletedBefore } from './errors';
import type { DeleteDeviceAnswer, Device, DeviceBody, NewDeviceBody } from './generated/wire';
import { type CallOptions, readPathPart, type WriteOptions } from './options';
import { requireObject } from './require-text';

/** A `deviceId` is the `device_sid` of an answer, or the `id` given to the device. */
export type Devices = {
  add(userId: string, body: NewDeviceBody, options?: WriteOptions): Promise<Device>;
  update(
    userId: string,
    deviceId: string,
    body: DeviceBody,
    options?: WriteOptions,
  ): Promise<Device>;
  get(userId: string, deviceId: string, options?: CallOptions): Promise<Device>;
  delete(userId: string, deviceId: string, options?: CallOptions): Promise<DeleteDeviceAnswer>;
};

export function createDevices(transport: Transport): Devices {
  return {
    add: (userId, body, options) => addDevice(transport, userId, body, options),
    update: (userId, deviceId, body, options) =>
      updateDevice(transport, { userId, deviceId }, body, options),
    get: (userId, deviceId, options) => readDevice(transport, { userId, deviceId }, options),
    delete: (userId, deviceId, options) => deleteDevice(transport, { userId, deviceId }, options),
  };
}

/** The `deviceId` is the `device_sid` of an answer, or the `id` given to the device. */
export type DevicePlace = { userId: string; deviceId: string };

export async function addDevice(
  transport: Transport,
  userId: string,
  body: NewDeviceBody,
  options?: WriteOptions,
): Promise<Device> {
  const name = 'devices.add';
  requireObject(name, body);
  return transport({ name, method: 'POST', path: devicesPath(userId), body }, options);
}

export async function updateDevice(
  transport: Transport,
  place: DevicePlace,
  body: DeviceBody,
  options?: WriteOptions,
): Promise<Device> {
  const name = 'devices.update';
  requireObject(name, body);
  // A PUT has no key: retried after a lost answer, it could undo a later write of another caller.
  return transport({ name, method: 'POST', path: devicePath(place), body }, options);
}

export async function readDevice(
  transport: Transport,
  place: DevicePlace,
  options?: CallOptions,
): Promise<Device> {
  return transport({ name: 'devices.get', method: 'GET', path: devicePath(place) }, options);
}

export async function deleteDevice(
  transport: Transport,
  place: DevicePlace,
  options?: CallOptions,
): Promise<DeleteDeviceAnswer> {
  const operation = { name: 'devices.delete', method: 'DELETE', path: devicePath(place) } as const;
  try {
    return await transport(operation, options);
  } catch (error) {
    if (wasDeletedBefore(error, 'device_not_found')) return { success: true };
    throw error;
  }
}

function devicesPath(userId: string): string {
  return `/users/${readPathPart('userId', userId)}/devices`;
}

function devicePath({ userId, deviceId }: DevicePlace): string {
  return `${devicesPath(userId)}/${readPathPart('deviceId', deviceId)}`;
}
