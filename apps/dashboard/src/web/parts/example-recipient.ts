/** Addresses of an example recipient by channel, in wire names. */
const addresses: Record<string, Record<string, unknown>> = {
  sms: { mobile: '+12025550123' },
  email: { email: 'ana.ruiz@example.com' },
  whatsapp: { whatsapp_mobile: '+12025550123' },
  slack: { slack: { channel_id: 'C0555010142' } },
  telegram: { telegram: { chat_id: '55510142' } },
  push: { fcm_tokens: ['example-token'] },
  onesignal: { onesignal_external_id: 'u_20391' },
  in_app: { user_id: 'u_20391' },
};

export function buildExampleRecipient(channels: readonly string[]): Record<string, unknown> {
  return Object.assign({}, ...channels.map((channel) => addresses[channel] ?? {}));
}
