import type { Client } from './clients.fixture';

const phone = '+4512345678';
const otherPhone = '+4587654321';
const fernNulls = { mobile: null, email: null, whats_app: null };
const mobileNulls = {
  ...{ mobile: null, email: null, whatsapp_mobile: null, preferences: null, devices: null },
  ...{ slack: null, telegram: null, onesignal_external_id: null },
};

export type UserWrite = {
  client: Client;
  shows: string;
  /** Without `user_id`. */
  body: object;
  user: object;
  /** A later write of this client that sets nothing. */
  emptyWrite: object;
};

export const userWrites: readonly UserWrite[] = [
  {
    client: 'node',
    shows: 'whats_app, and null for undefined fields',
    body: { mobile: phone, email: null, whats_app: otherPhone },
    user: { mobile: phone, whatsapp_mobile: otherPhone },
    emptyWrite: { email: null },
  },
  {
    client: 'python',
    shows: 'null for unset fields',
    body: { ...fernNulls, mobile: phone },
    user: { mobile: phone },
    emptyWrite: fernNulls,
  },
  {
    client: 'java',
    shows: 'null for unset fields',
    body: { ...fernNulls, email: 'ana@example.com', whats_app: phone },
    user: { email: 'ana@example.com', whatsapp_mobile: phone },
    emptyWrite: fernNulls,
  },
  {
    client: 'documentation',
    shows: 'every field',
    body: {
      ...{ email: 'ana@example.com', mobile: phone, whatsapp_mobile: otherPhone },
      ...{ slack: { access_token: 'xoxb-canary', email: 'ana@example.com', channel_id: 'C1' } },
      ...{ telegram: { chat_id: '42' }, onesignal_external_id: 'os' },
    },
    user: {
      ...{ email: 'ana@example.com', mobile: phone, whatsapp_mobile: otherPhone },
      ...{ slack: { access_token: '********', email: 'ana@example.com', channel_id: 'C1' } },
      ...{ telegram: { chat_id: '42' }, onesignal_external_id: 'os' },
    },
    emptyWrite: {},
  },
  {
    client: 'documentation',
    shows: 'both names of the WhatsApp number',
    body: { whats_app: phone, whatsapp_mobile: otherPhone },
    user: { whatsapp_mobile: otherPhone },
    emptyWrite: { whats_app: null, whatsapp_mobile: null },
  },
  {
    client: 'python',
    shows: 'objects whose members are null',
    body: {
      ...fernNulls,
      slack: { access_token: null, channel_id: 'C1' },
      telegram: { chat_id: null },
    },
    user: { slack: { access_token: '', channel_id: 'C1' } },
    emptyWrite: { slack: { channel_id: 'C1', email: null }, telegram: null },
  },
  {
    client: 'android',
    shows: 'preferences',
    body: {
      email: 'ana@example.com',
      preferences: {
        locale: 'de',
        disabled: false,
        channel_preferences: { sms: { disabled: true } },
      },
    },
    user: { preferences: { locale: 'de', channel_preferences: { sms: { disabled: true } } } },
    emptyWrite: {},
  },
  {
    client: 'flutter',
    shows: 'null for unset fields, and devices from an earlier response',
    body: { ...mobileNulls, mobile: phone, devices: [{ device_sid: 'x', fcm_token: 'y' }] },
    user: { mobile: phone, devices: [] },
    emptyWrite: mobileNulls,
  },
];

const javaNulls = {
  ...{ id: null, platform: null, onesignal_player_id: null, xiaomi_token: null },
  ...{ oppo_token: null, vivo_token: null, huaweiToken: null, fcm_token: null, raven_id: null },
  ...{ device_sid: null, notifications_disabled: null, created_at: null, updated_at: null },
};

export type DeviceCalls = {
  client: Client;
  updateMethod: 'PUT' | 'POST';
  /** Fields besides an `fcm_token`. */
  added: object;
  /** Fields besides the new `fcm_token`. */
  updated: object;
  deleteHeaders: Readonly<Record<string, string>>;
};

const noLength = {};
const zeroLength = { 'Content-Length': '0' };

export const deviceCalls: readonly DeviceCalls[] = [
  {
    client: 'node',
    updateMethod: 'PUT',
    added: { platform: 'android', huaweiToken: 'h', onesignal_player_id: 'p' },
    updated: {},
    deleteHeaders: noLength,
  },
  {
    client: 'python',
    updateMethod: 'PUT',
    added: { platform: 'ios', xiaomi_token: 'x' },
    updated: {},
    deleteHeaders: noLength,
  },
  {
    client: 'java',
    updateMethod: 'PUT',
    added: { ...javaNulls, platform: 'web', oppo_token: 'o', vivo_token: 'v' },
    updated: javaNulls,
    deleteHeaders: zeroLength,
  },
  {
    client: 'android',
    updateMethod: 'POST',
    added: { platform: 'ANDROID' },
    updated: { platform: 'ANDROID' },
    deleteHeaders: noLength,
  },
  {
    client: 'flutter',
    updateMethod: 'POST',
    added: { ...javaNulls, platform: 'ios' },
    updated: { ...javaNulls, notifications_disabled: false },
    deleteHeaders: noLength,
  },
];
