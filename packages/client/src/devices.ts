import type { Call } from './call';
import { BelfryError } from './errors';
import type { DeleteDeviceAnswer, Device, DeviceBody, NewDeviceBody } from './generated/wire';
import { type CallOptions, readPathPart, type WriteOptions } from './options';
import { requireObject } from './require-text';

/** A `deviceId` is the `device_sid` of an answer, or the `id` that the device was given. */
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

export function createDevices(call: Call): Devices {
  return {
    async add(userId, body, options) {
      const name = 'devices.add';
      requireObject(name, body);
      return call({ name, method: 'POST', path: devicesPath(userId), body }, options);
    },
    async update(userId, deviceId, body, options) {
      const name = 'devices.update';
      requireObject(name, body);
      // A PUT has no key: repeated after a lost answer, it could undo what another caller wrote since.
      const path = devicePath(userId, deviceId);
      return call({ name, method: 'POST', path, body }, options);
    },
    async get(userId, deviceId, options) {
      const path = devicePath(userId, deviceId);
      return call({ name: 'devices.get', method: 'GET', path }, options);
    },
    async delete(userId, deviceId, options) {
      const path = devicePath(userId, deviceId);
      try {
        return await call({ name: 'devices.delete', method: 'DELETE', path }, options);
      } catch (error) {
        if (wasDeletedBefore(error)) return { success: true };
        throw error;
      }
    },
  };
}

function devicesPath(userId: string): string {
  return `/users/${readPathPart('userId', userId)}/devices`;
}

function devicePath(userId: string, deviceId: string): string {
  return `${devicesPath(userId)}/${readPathPart('deviceId', deviceId)}`;
}

/** An earlier attempt may have deleted it, its answer lost. */
function wasDeletedBefore(error: unknown): boolean {
  return error instanceof BelfryError && error.code === 'device_not_found' && error.attempts > 1;
}
