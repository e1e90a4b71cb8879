import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '@belfry/runtime';
import type { Request, Response } from 'express';
import type { Connections } from './connection';
import { cookieName, readCookies, setCookie } from './cookies';

/**
 * Browsers in which an operator has signed in before. Each has a signed cookie, and its attempts are counted
 * separately from those of strangers (OWASP: device cookies). The cookie alone grants no access.
 */
export type Devices = {
  /** The id of this browser for an operator; undefined if the operator has never signed in with it. */
  find(req: Request, operatorId: string): string | undefined;
  remember(req: Request, res: Response, operatorId: string): void;
};

export type DevicesDeps = {
  secrets: Pick<Secrets, 'fingerprint' | 'keyIds'>;
  connections: Pick<Connections, 'isHttps'>;
};

const idBytes = 16;
const cookieShape = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;
/** The longest cookie lifetime that browsers accept. */
const maxAgeMs = 400 * 24 * 60 * 60_000;

export function createDevices({ secrets, connections }: DevicesDeps): Devices {
  /** Bound to the operator, because the owner of another account could sign in with the same address. */
  function sign(deviceId: string, operatorId: string, keyId?: string): Buffer {
    return secrets.fingerprint('device', `${operatorId} ${deviceId}`, keyId);
  }

  function nameOfCookie(req: Request, operatorId: string): string {
    return cookieName(`belfry_device_${operatorId}`, connections.isHttps(req));
  }

  function find(req: Request, operatorId: string): string | undefined {
    const [value = '', ...more] = readCookies(req, nameOfCookie(req, operatorId));
    const [, deviceId = '', signature = ''] = cookieShape.exec(value) ?? [];
    if (deviceId === '' || more.length > 0) return undefined;
    const bytes = Buffer.from(signature, 'base64url');
    // Tries every key of the ring, so devices stay known after a key rotation.
    const isOurs = secrets.keyIds.some((keyId) => {
      return timingSafeEqual(sign(deviceId, operatorId, keyId), bytes);
    });
    return isOurs ? deviceId : undefined;
  }

  return {
    find,
    remember(req, res, operatorId) {
      const deviceId = find(req, operatorId) ?? randomBytes(idBytes).toString('base64url');
      const value = `${deviceId}.${sign(deviceId, operatorId).toString('base64url')}`;
      const isHttps = connections.isHttps(req);
      setCookie(res, nameOfCookie(req, operatorId), { value, isHttps, maxAgeMs });
    },
  };
}
