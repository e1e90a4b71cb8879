import { channelVersion, type Factories, type Tenant } from './factories';
import { type SimulatedMailApi, startMailApis } from './simulated-mail-apis';
import { createFcmSimulator, fcmSendPath, simulatedServiceAccount } from './simulators/fcm';
import { createMetaSimulator, type MetaSend } from './simulators/meta';
import { createOnesignalSimulator } from './simulators/onesignal';
import type { AcceptedSend, Simulator } from './simulators/simulator';
import { createSlackSimulator } from './simulators/slack';
import { createSmtpSimulator } from './simulators/smtp';
import { createTelegramSimulator } from './simulators/telegram';
import { createTwilioSimulator, simulatedAuthToken } from './simulators/twilio';
import { createWebPushSimulator } from './simulators/web-push';

/** A channel whose provider is a simulator on this machine. */
export type SimulatedChannel = {
  provider: string;
  settings: Record<string, unknown>;
  credentials: Record<string, unknown>;
  /** A template that prints `text`, which may contain placeholders. */
  template(text: string): Record<string, unknown>;
  /** The fields of `user` that this channel needs; each number is another person. */
  user(number: number): Record<string, unknown>;
  /** The number of sends that the provider accepted. */
  countSends(): number;
  /** Makes each of the next `times` sends, or of those to one target, fail as certainly unsent and retryable. */
  throttle(times: number, target?: string): void;
  /** The target that results from `user`. */
  target(number: number): string;
  /** Calls the listener for each accepted send, after its answer or its failure to answer. */
  onAccepted(listener: (acceptedSend: AcceptedChannelSend) => void): void;
  /** Makes the provider accept the next calls without answering. */
  dropAnswers(times: number): void;
  /** Makes the provider answer the next calls late. */
  delayAnswers(times: number, delayMs: number): void;
  /** Delays every answer for these targets. */
  delayEach(getDelayMs: (target: string) => number): void;
};

export type AcceptedChannelSend = Omit<AcceptedSend<never>, 'send'> & {
  target: string;
  /** Identifies a message over all of its sends; undefined if the provider accepts no such value. */
  dedupe: string | undefined;
};

export type SimulatedChannels = {
  /** The simulators, for provider-specific faults. */
  simulators: Simulators;
  /** Environment variables that point the workers to the simulators. */
  env: Record<string, string>;
  channels: Record<string, SimulatedChannel>;
  /** The providers of e-mail besides SMTP, by name. */
  mailApis: Record<string, SimulatedMailApi>;
  /** Creates an integration for each channel, and a live event that uses all of them and the inbox. */
  createEvent(
    factories: Factories,
    tenant: Tenant,
    text: string,
  ): Promise<{ name: string; channels: string[] }>;
  /** A user with an address on every channel. */
  user(number: number): Record<string, unknown>;
  close(): Promise<void>;
};

/** Every provider with a network API, in the order of their channels in the dashboard. */
export async function startSimulatedChannels(): Promise<SimulatedChannels> {
  const simulators = {
    twilio: await createTwilioSimulator(),
    smtp: await createSmtpSimulator({ login: smtpLogin }),
    meta: await createMetaSimulator(),
    slack: await createSlackSimulator(),
    telegram: await createTelegramSimulator(),
    fcm: await createFcmSimulator(),
    onesignal: await createOnesignalSimulator(),
    webPush: await createWebPushSimulator(),
  };
  const channels = createChannels(simulators);
  const mailApis = await startMailApis();
  return {
    simulators,
    env: {
      TWILIO_API_URL: simulators.twilio.url,
      META_API_URL: simulators.meta.url,
      SLACK_API_URL: simulators.slack.url,
      TELEGRAM_API_URL: simulators.telegram.url,
      FCM_API_URL: simulators.fcm.url,
      ONESIGNAL_API_URL: simulators.onesignal.url,
      WEB_PUSH_API_URL: simulators.webPush.url,
      ...mailApis.env,
    },
    channels,
    mailApis: mailApis.byName,
    async createEvent(factories, tenant, text) {
      const versions: Record<string, ReturnType<typeof channelVersion>> = {};
      for (const [channel, simulated] of Object.entries(channels)) {
        const { provider, settings, credentials, template } = simulated;
        const { id } = await factories.createIntegration(tenant, {
          channel,
          provider,
          settings,
          credentials,
        });
        versions[channel] = channelVersion(template(text), { integrationIds: [id] });
      }
      versions['in_app'] = channelVersion({ title: text });
      const { name } = await factories.createEvent(tenant, versions);
      return { name, channels: Object.keys(versions) };
    },
    user: (number) =>
      Object.assign(
        { user_id: `person-${number}` },
        ...Object.values(channels).map((channel) => channel.user(number)),
      ),
    async close() {
      await Promise.all(Object.values(simulators).map((simulator) => simulator.close()));
      await mailApis.close();
    },
  };
}

type Simulators = {
  twilio: Awaited<ReturnType<typeof createTwilioSimulator>>;
  smtp: Awaited<ReturnType<typeof createSmtpSimulator>>;
  meta: Awaited<ReturnType<typeof createMetaSimulator>>;
  slack: Awaited<ReturnType<typeof createSlackSimulator>>;
  telegram: Awaited<ReturnType<typeof createTelegramSimulator>>;
  fcm: Awaited<ReturnType<typeof createFcmSimulator>>;
  onesignal: Awaited<ReturnType<typeof createOnesignalSimulator>>;
  webPush: Awaited<ReturnType<typeof createWebPushSimulator>>;
};

const smtpLogin = { user: 'belfry', pass: 'simulated-smtp-password' };
/** A form encodes the plus sign of a number. */
const createThrottle = (target?: string) => ({
  to: target?.replace('+', ''),
  reply: { status: 429, headers: { 'retry-after': '1' }, body: {} },
});
const createTextTemplate = (content: string) => ({ text: content });
const createNotificationTemplate = (content: string) => ({ title: content, body: content });

const formatSlackChannel = (number: number) => `C${String(number).padStart(9, '0')}`;

const readMetaSend = ({ to, messageId }: Pick<MetaSend, 'to' | 'messageId'>) => ({
  target: `+${to.replace('+', '')}`,
  dedupe: messageId,
});

function createChannels(simulators: Simulators): Record<string, SimulatedChannel> {
  const { twilio, smtp, meta, slack, telegram, fcm, onesignal } = simulators;
  return {
    sms: {
      provider: 'twilio',
      settings: { sender: '+15005550009' },
      credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: simulatedAuthToken },
      template: createTextTemplate,
      user: (number) => ({ mobile: formatPhone(number) }),
      countSends: () => twilio.sends.length,
      throttle: (times, target) => twilio.fail(...repeat(createThrottle(target), times)),
      target: formatPhone,
      ...createHttpControls(twilio, ({ to, messageId }) => ({ target: to, dedupe: messageId })),
    },
    email: createEmailChannel(smtp),
    whatsapp: {
      provider: 'meta',
      settings: { sender: '106540352242922', graph_version: 'v23.0' },
      credentials: {
        access_token: 'EAAGm0PX4ZCpsBO7simulatedKq3vT9wYdR2hN8fLcE5aUjS1x',
        app_secret: '9f3c1e7ab25d4860c7e1f0934bd86a52',
        verify_token: 'simulated-verify-token-4Tq8Zr2Wn6',
      },
      template: createTextTemplate,
      user: (number) => ({ whatsapp_mobile: formatPhone(number) }),
      countSends: () => meta.sends.length,
      throttle: (times, target) => meta.fail(...repeat(createThrottle(target), times)),
      target: formatPhone,
      ...createHttpControls(meta, readMetaSend),
    },
    slack: {
      provider: 'slack',
      settings: {},
      credentials: { access_token: 'xoxb-1111-2222-simulated' },
      template: createTextTemplate,
      user: (number) => ({ slack: { channel_id: formatSlackChannel(number) } }),
      countSends: () => slack.sends.length,
      throttle: (times, target) => slack.fail(...repeat(createThrottle(target), times)),
      target: (number) => formatSlackChannel(number),
      ...createHttpControls(slack, ({ channel: target, messageId: dedupe }) => ({
        target,
        dedupe,
      })),
    },
    telegram: {
      provider: 'telegram',
      settings: {},
      credentials: { bot_token: `123456789:${'s'.repeat(35)}` },
      template: createTextTemplate,
      user: (number) => ({ telegram: { chat_id: String(1_000_000 + number) } }),
      countSends: () => telegram.sends.length,
      throttle: (times, target) => telegram.fail(...repeat(createThrottle(target), times)),
      target: (number) => String(1_000_000 + number),
      ...createHttpControls(telegram, ({ chatId }) => ({ target: chatId, dedupe: undefined })),
    },
    push: createPushChannel(fcm),
    onesignal: createOnesignalChannel(onesignal),
  };
}

function createOnesignalChannel(onesignal: Simulators['onesignal']): SimulatedChannel {
  return {
    provider: 'onesignal',
    settings: { app_id: '11111111-1111-4111-8111-111111111111' },
    credentials: { rest_api_key: 'os_v2_app_simulated' },
    template: createNotificationTemplate,
    user: (number) => ({ onesignal_external_id: `person-${number}` }),
    countSends: () => onesignal.sends.length,
    throttle: (times, target) => onesignal.fail(...repeat(createThrottle(target), times)),
    target: (number) => `person-${number}`,
    ...createHttpControls(onesignal, ({ externalId, idempotencyKey }) => ({
      target: externalId ?? '',
      dedupe: idempotencyKey,
    })),
  };
}

/** Faults of sends do not affect calls for access tokens. */
function createPushChannel(fcm: Simulators['fcm']): SimulatedChannel {
  return {
    provider: 'fcm',
    settings: {},
    credentials: { service_account: simulatedServiceAccount() },
    template: createNotificationTemplate,
    user: (number) => ({ fcm_tokens: [`token:${number}`] }),
    countSends: () => fcm.sends.length,
    throttle: (times, target) =>
      fcm.fail(...repeat({ on: fcmSendPath, ...createThrottle(target) }, times)),
    target: (number) => `token:${number}`,
    onAccepted: (listener) =>
      fcm.onAccepted(({ send, ...timing }) =>
        listener({ ...timing, target: send.token ?? '', dedupe: send.messageId }),
      ),
    dropAnswers: (times) => fcm.fail(...repeat({ on: fcmSendPath, reset: 'after' }, times)),
    delayAnswers: (times, slowMs) => fcm.fail(...repeat({ on: fcmSendPath, slowMs }, times)),
    delayEach: (getDelayMs) => fcm.delayEach(({ token }) => getDelayMs(token ?? '')),
  };
}

function createEmailChannel(smtp: Simulators['smtp']): SimulatedChannel {
  return {
    provider: 'smtp',
    settings: {
      host: '127.0.0.1',
      port: smtp.port,
      require_tls: false,
      from: { name: 'Belfry', address: 'notify@example.com' },
    },
    credentials: smtpLogin,
    template: (content) => ({ subject: content, html: `<p>${content}</p>` }),
    user: (number) => ({ email: `person${number}@example.org` }),
    countSends: () => smtp.sends.length,
    throttle: (times, target) =>
      smtp.fail(
        ...repeat({ at: 'rcpt', to: target, reply: '421 4.7.0 Too many connections' }, times),
      ),
    target: (number) => `person${number}@example.org`,
    onAccepted: (listener) =>
      smtp.onAccepted(({ send, ...timing }) =>
        listener({ ...timing, target: send.to[0] ?? '', dedupe: send.messageId }),
      ),
    dropAnswers: (times) => smtp.fail(...repeat({ at: 'end', drop: true }, times)),
    delayAnswers: (times, slowMs) => smtp.fail(...repeat({ at: 'end', slowMs }, times)),
    delayEach: (getDelayMs) => smtp.delayEach(({ to }) => getDelayMs(to[0] ?? '')),
  };
}

type OverHttp<Send> = Pick<Simulator<Send, never>, 'onAccepted' | 'delayEach'> & {
  fail(...faults: ({ reset: 'after' } | { slowMs: number })[]): void;
};

function createHttpControls<Send>(
  simulator: OverHttp<Send>,
  read: (send: Send) => Pick<AcceptedChannelSend, 'target' | 'dedupe'>,
): Pick<SimulatedChannel, 'onAccepted' | 'dropAnswers' | 'delayAnswers' | 'delayEach'> {
  return {
    onAccepted: (listener) =>
      simulator.onAccepted(({ send, ...timing }) => listener({ ...timing, ...read(send) })),
    dropAnswers: (times) => simulator.fail(...repeat({ reset: 'after' }, times)),
    delayAnswers: (times, slowMs) => simulator.fail(...repeat({ slowMs }, times)),
    delayEach: (getDelayMs) => simulator.delayEach((send) => getDelayMs(read(send).target)),
  };
}

/** Numbers of Denmark: a country without area codes, so every number is possible. */
function formatPhone(number: number): string {
  return `+45${String(20_000_000 + number)}`;
}

function repeat<const Fault>(fault: Fault, times: number): Fault[] {
  return Array.from({ length: times }, () => fault);
}
