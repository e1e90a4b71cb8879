import type { Shape } from './shape.fixture';

/** The headers that a client sends with every call, and what its decoder requires in each response. */
type ClientFacts = {
  headers: Readonly<Record<string, string>>;
  accepted: Shape;
  refused: Shape;
  user: Shape;
  device: Shape;
};

const json = { 'Content-Type': 'application/json' };

const accepted = { id: 'string', success: 'boolean' } as const;
const refused = { success: 'boolean', error: 'string' } as const;

/** The fields of a device. Every client reads some of them. */
const device = {
  'id?': 'string',
  'platform?': 'platform',
  'onesignal_player_id?': 'string',
  'xiaomi_token?': 'string',
  'oppo_token?': 'string',
  'vivo_token?': 'string',
  'huaweiToken?': 'string',
  'fcm_token?': 'string',
  'raven_id?': 'string',
  device_sid: 'string',
  'notifications_disabled?': 'boolean',
  'created_at?': 'integer',
  'updated_at?': 'integer',
} as const;

const user = {
  user_id: 'string',
  'user_sid?': 'string',
  'email?': 'string',
  'mobile?': 'string',
  'whatsapp_mobile?': 'string',
  'onesignal_external_id?': 'string',
  'slack?': { access_token: 'string', 'email?': 'string', 'channel_id?': 'string' },
  'telegram?': { chat_id: 'string' },
  'fcm_tokens?': 'strings',
  'onesignal_player_ids?': 'strings',
  'ios_tokens?': 'strings',
  'devices?': [device],
  'created_at?': 'integer',
  'updated_at?': 'integer',
} as const;

/** Mobile clients store a device unchanged. */
const mobileDevice = { ...device, fcm_token: 'string' } as const;
const preferences = { 'locale?': 'string', 'disabled?': 'boolean' } as const;
const mobileUser = { ...user, 'preferences?': preferences, 'devices?': [mobileDevice] } as const;

const swaggerAccepted = { ...accepted, 'error?': 'string', 'errors?': 'strings' } as const;

export const clients = {
  node: {
    headers: {
      Accept: 'application/json, text/plain, */*',
      ...json,
      'User-Agent': 'axios/0.27.2',
    },
    ...{ accepted, refused, user, device },
  },
  python: {
    headers: { Accept: '*/*', ...json, 'User-Agent': 'python-httpx/0.23.3' },
    ...{ accepted, refused, user, device },
  },
  java: {
    headers: { ...json, 'User-Agent': 'okhttp/4.9.3' },
    ...{ accepted, refused, user, device },
  },
  go: {
    headers: { Accept: 'application/json', ...json, 'User-Agent': 'raven/1.0.0/go' },
    ...{ accepted: swaggerAccepted, refused, user, device },
  },
  'legacy node': {
    headers: { Accept: 'application/json', ...json, 'User-Agent': 'axios/0.27.2' },
    ...{ accepted, refused, user, device },
  },
  'legacy python': {
    headers: { Accept: 'application/json', ...json, 'User-Agent': 'Swagger-Codegen/1.0.0/python' },
    ...{ accepted: swaggerAccepted, refused, user, device },
  },
  'legacy java': {
    headers: { Accept: 'application/json', ...json, 'User-Agent': 'Swagger-Codegen/1.0.0/java' },
    ...{ accepted: swaggerAccepted, refused, user, device },
  },
  android: {
    headers: { ...json, 'User-Agent': 'okhttp/4.9.3' },
    ...{ accepted, refused, user: mobileUser, device: mobileDevice },
  },
  flutter: {
    headers: { ...json, 'User-Agent': 'Dart/2.16 (dart:io)' },
    ...{ accepted, refused, user: mobileUser, device: mobileDevice },
  },
  documentation: {
    headers: json,
    accepted: { request_id: 'string', success: 'boolean' },
    ...{ refused, user, device },
  },
} as const satisfies Record<string, ClientFacts>;

export type Client = keyof typeof clients;
