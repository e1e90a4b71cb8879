import {
  AppError,
  type DeviceChange,
  type StoredDevice,
  type StoredSubscription,
} from '@belfry/shared';
import type pg from 'pg';
import type { Queryable } from './transaction';

export type DevicesDeps = { pool: pg.Pool; newId: () => string };

export type OwnerAddress = { appId: string; userId: string };

/** `deviceId` is a `device_sid` or the client's own id. A `device_sid` wins. */
export type DeviceAddress = OwnerAddress & { deviceId: string };

export type NewDevice = OwnerAddress & {
  device: DeviceChange;
  /** The `device_sid` that the client has stored. */
  knownSid?: string;
};

export type DeviceUpdate = DeviceAddress & { device: DeviceChange };

/** Each function throws AppError user_not_found or device_not_found. `client` belongs to the caller's transaction. */
export type Devices = {
  addDevice(client: Queryable, device: NewDevice): Promise<StoredDevice>;
  updateDevice(client: Queryable, update: DeviceUpdate): Promise<StoredDevice>;
  getDevice(address: DeviceAddress): Promise<StoredDevice>;
  deleteDevice(address: DeviceAddress): Promise<void>;
};

export function createDevices({ pool, newId }: DevicesDeps): Devices {
  return {
    addDevice: (client, device) => add(client, device, newId),

    async updateDevice(client, update) {
      const { deviceSid } = await getDeviceRow(client, update);
      const device = await change(client, { ...update, deviceSid });
      if (!device) throw deviceNotFound();
      return device;
    },

    getDevice: (address) => getDeviceRow(pool, address),

    async deleteDevice(address) {
      const { deviceSid } = await getDeviceRow(pool, address);
      const { rowCount } = await pool.query({
        name: 'delete-device',
        text: 'DELETE FROM device WHERE id = $1',
        values: [deviceSid],
      });
      if (rowCount === 0) throw deviceNotFound();
    },
  };
}

/** `d` as a StoredDevice. */
export const deviceJson = `json_build_object(
  'deviceSid', d.id,
  'clientId', d.client_id,
  'token', d.fcm_token,
  'subscription', d.push_subscription,
  'platform', d.platform,
  'fields', d.fields,
  'notificationsDisabled', d.notifications_disabled,
  'createdAtMs', (extract(epoch FROM d.created_at) * 1000)::bigint,
  'updatedAtMs', (extract(epoch FROM d.updated_at) * 1000)::bigint
)`;

type DeviceRow = { device: StoredDevice };

async function add(
  client: Queryable,
  { appId, userId, knownSid, device }: NewDevice,
  newId: () => string,
): Promise<StoredDevice> {
  const existingRow = knownSid && (await findDevice(client, { appId, userId, deviceId: knownSid }));
  if (existingRow && existingRow.device?.deviceSid === knownSid?.toLowerCase()) {
    const changed = await change(client, {
      appId,
      device,
      deviceSid: existingRow.device.deviceSid,
    });
    if (changed) return changed;
  }
  const values = [appId, userId, newId(), ...toColumnValues(device)];
  const { rows } = await client.query<DeviceRow>({
    name: 'add-device',
    text: addStatement,
    values,
  });
  if (!rows[0]) throw userNotFound();
  return rows[0].device;
}

/** The expression of the unique index. The cast to bytea would read a backslash as an escape. */
export function hashToken(token: string): string {
  return `sha256(replace(${token}, '\\', '\\\\')::bytea)`;
}

const isSameUser = 'd.user_sid = excluded.user_sid';

/** For the same user the device is updated. For another user it becomes a new device that keeps no old value. */
function keepOrReplace(column: string): string {
  return `${column} = CASE WHEN ${isSameUser} THEN coalesce(excluded.${column}, d.${column}) ELSE excluded.${column} END`;
}

// One statement, so that a token that two users register at once ends with one of them. No row references a device.
const addStatement = `
WITH d AS (
  INSERT INTO device AS d (id, app_id, user_sid, client_id, fcm_token, push_subscription, platform, fields, notifications_disabled)
  SELECT $3::uuid, u.app_id, u.id, $4::text, $5::text, $6::jsonb, $7::text, $8::jsonb, coalesce($9::bool, false)
  FROM app_user u WHERE u.app_id = $1 AND u.user_id = $2
  ON CONFLICT (app_id, ${hashToken('fcm_token')}) DO UPDATE SET
    id = CASE WHEN ${isSameUser} THEN d.id ELSE excluded.id END,
    created_at = CASE WHEN ${isSameUser} THEN d.created_at ELSE clock_timestamp() END,
    user_sid = excluded.user_sid,
    push_subscription = excluded.push_subscription,
    ${keepOrReplace('client_id')},
    ${keepOrReplace('platform')},
    fields = CASE WHEN ${isSameUser} THEN d.fields || excluded.fields ELSE excluded.fields END,
    notifications_disabled = excluded.notifications_disabled,
    disabled_reason = NULL,
    updated_at = clock_timestamp()
  RETURNING *
)
SELECT ${deviceJson} AS device FROM d`;

type Change = { appId: string; deviceSid: string; device: DeviceChange };

/** Undefined when the device was deleted in the meantime. */
async function change(
  client: Queryable,
  { appId, deviceSid, device }: Change,
): Promise<StoredDevice | undefined> {
  const token = getToken(device);
  if (token !== undefined) await freeToken(client, [appId, deviceSid, token]);
  const { rows } = await client.query<DeviceRow>({
    name: 'update-device',
    text: updateStatement,
    values: [deviceSid, ...toColumnValues(device)],
  });
  return rows[0]?.device;
}

/** Deletes the other device with this token: it is an older entry of the same installation. */
async function freeToken(client: Queryable, values: [string, string, string]): Promise<void> {
  // Both rows are locked in the same order. Otherwise two calls that swap tokens would deadlock.
  await client.query({
    name: 'lock-devices',
    text: `SELECT FROM device WHERE app_id = $1 AND (id = $2 OR ${hashToken('fcm_token')} = ${hashToken('$3::text')})
           ORDER BY id FOR UPDATE`,
    values,
  });
  await client.query({
    name: 'free-token',
    text: `DELETE FROM device WHERE app_id = $1 AND id <> $2 AND ${hashToken('fcm_token')} = ${hashToken('$3::text')}`,
    values,
  });
}

const updateStatement = `
UPDATE device d SET
  client_id = coalesce($2, d.client_id),
  fcm_token = coalesce($3, d.fcm_token),
  push_subscription = CASE WHEN $3 IS NULL THEN d.push_subscription ELSE $4::jsonb END,
  platform = coalesce($5, d.platform),
  fields = d.fields || $6::jsonb,
  notifications_disabled = coalesce($7, $3 IS NULL AND d.notifications_disabled),
  disabled_reason = CASE WHEN $7 IS NULL AND $3 IS NULL THEN d.disabled_reason END,
  updated_at = clock_timestamp()
WHERE d.id = $1
RETURNING ${deviceJson} AS device`;

function toColumnValues(device: DeviceChange): unknown[] {
  const { clientId, platform, fields, notificationsDisabled } = device;
  const subscription = toStoredSubscription(device);
  return [clientId, getToken(device), subscription, platform, fields, notificationsDisabled];
}

/** A device has one address: an FCM token, or the endpoint of its web push subscription. */
function getToken({ fcmToken, pushSubscription }: DeviceChange): string | undefined {
  return fcmToken ?? pushSubscription?.endpoint;
}

function toStoredSubscription({ pushSubscription }: DeviceChange): StoredSubscription | undefined {
  if (!pushSubscription) return undefined;
  const { keys, expirationTime } = pushSubscription;
  return { ...keys, ...(expirationTime === undefined ? {} : { expirationTime }) };
}

async function getDeviceRow(client: Queryable, address: DeviceAddress): Promise<StoredDevice> {
  const row = await findDevice(client, address);
  if (!row) throw userNotFound();
  if (!row.device) throw deviceNotFound();
  return row.device;
}

/** Undefined when the user does not exist. The id is compared as text, because it need not be a UUID. */
async function findDevice(
  client: Queryable,
  { appId, userId, deviceId }: DeviceAddress,
): Promise<{ device: StoredDevice | null } | undefined> {
  const { rows } = await client.query<{ device: StoredDevice | null }>({
    name: 'find-device',
    text: `SELECT found.device
           FROM app_user u LEFT JOIN LATERAL (
             SELECT ${deviceJson} AS device FROM device d
             WHERE d.user_sid = u.id AND (d.id::text = lower($3) OR d.client_id = $3)
             ORDER BY d.id::text = lower($3) DESC, d.id DESC LIMIT 1
           ) found ON true
           WHERE u.app_id = $1 AND u.user_id = $2`,
    values: [appId, userId, deviceId],
  });
  return rows[0];
}

function userNotFound(): AppError {
  return new AppError('user_not_found');
}

function deviceNotFound(): AppError {
  return new AppError('device_not_found');
}
