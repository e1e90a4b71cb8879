import { channelVersion, type Factories, type Tenant } from './factories';
import { createMetaSimulator } from './simulators/meta';
import { createSlackSimulator } from './simulators/slack';
import { createSmtpSimulator } from './simulators/smtp';
import { createTelegramSimulator } from './simulators/telegram';
import { createTwilioSimulator, simulatedAuthToken } from './simulators/twilio';

/** A channel whose provider is a simulator on this machine. */
export type SimulatedChannel = {
  provider: string;
  settings: Record<string, unknown>;
  credentials: Record<string, unknown>;
  /** A template that prints `text`, which may hold placeholders. */
  template(text: string): Record<string, unknown>;
  /** The fields of `user` that make this channel reach somebody; another number is another person. */
  user(number: number): Record<string, unknown>;
  /** How often the provider accepted something. */
  countSends(): number;
  /** Each of the next `times` sends is put off, certainly unsent. */
  putOff(times: number): void;
};

export type SimulatedChannels = {
  /** What points the workers to the simulators. */
  env: Record<string, string>;
  channels: Record<string, SimulatedChannel>;
  /** An integration for each channel, and a live event that goes by all of them and into the inbox. */
  createEvent(
    factories: Factories,
    tenant: Tenant,
    text: string,
  ): Promise<{ name: string; channels: string[] }>;
  /** Somebody whom every channel reaches. */
  user(number: number): Record<string, unknown>;
  close(): Promise<void>;
};

/** Every provider that is called over a network, in the order in which the dashboard shows their channels. */
export async function startSimulatedChannels(): Promise<SimulatedChannels> {
  const simulators = {
    twilio: await createTwilioSimulator(),
    smtp: await createSmtpSimulator(),
    meta: await createMetaSimulator(),
    slack: await createSlackSimulator(),
    telegram: await createTelegramSimulator(),
  };
  const channels = channelsOf(simulators);
  return {
    env: {
      TWILIO_API_URL: simulators.twilio.url,
      META_API_URL: simulators.meta.url,
      SLACK_API_URL: simulators.slack.url,
      TELEGRAM_API_URL: simulators.telegram.url,
    },
    channels,
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
    },
  };
}

type Simulators = {
  twilio: Awaited<ReturnType<typeof createTwilioSimulator>>;
  smtp: Awaited<ReturnType<typeof createSmtpSimulator>>;
  meta: Awaited<ReturnType<typeof createMetaSimulator>>;
  slack: Awaited<ReturnType<typeof createSlackSimulator>>;
  telegram: Awaited<ReturnType<typeof createTelegramSimulator>>;
};

const throttled = { reply: { status: 429, headers: { 'retry-after': '1' }, body: {} } };
const text = (given: string) => ({ text: given });

function channelsOf(simulators: Simulators): Record<string, SimulatedChannel> {
  const { twilio, smtp, meta, slack, telegram } = simulators;
  return {
    sms: {
      provider: 'twilio',
      settings: { sender: '+15005550009' },
      credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: simulatedAuthToken },
      template: text,
      user: (number) => ({ mobile: phoneOf(number) }),
      countSends: () => twilio.sends.length,
      putOff: (times) => twilio.fail(...repeat(throttled, times)),
    },
    email: {
      provider: 'smtp',
      settings: {
        host: '127.0.0.1',
        port: smtp.port,
        require_tls: false,
        from: { name: 'Belfry', address: 'notify@example.com' },
      },
      credentials: {},
      template: (given) => ({ subject: given, html: `<p>${given}</p>` }),
      user: (number) => ({ email: `person${number}@example.org` }),
      countSends: () => smtp.sends.length,
      putOff: (times) => smtp.fail(...repeat({ at: 'rcpt', reply: '450 4.2.0 Later' }, times)),
    },
    whatsapp: {
      provider: 'meta',
      settings: { sender: '106540352242922', graph_version: 'v23.0' },
      credentials: {
        access_token: 'EAAGsimulated',
        app_secret: '0'.repeat(32),
        verify_token: 'simulated-verify-token',
      },
      template: text,
      user: (number) => ({ whatsapp_mobile: phoneOf(number) }),
      countSends: () => meta.sends.length,
      putOff: (times) => meta.fail(...repeat(throttled, times)),
    },
    slack: {
      provider: 'slack',
      settings: {},
      credentials: { access_token: 'xoxb-1111-2222-simulated' },
      template: text,
      user: (number) => ({ slack: { channel_id: `C${String(number).padStart(9, '0')}` } }),
      countSends: () => slack.sends.length,
      putOff: (times) => slack.fail(...repeat(throttled, times)),
    },
    telegram: {
      provider: 'telegram',
      settings: {},
      credentials: { bot_token: `123456789:${'s'.repeat(35)}` },
      template: text,
      user: (number) => ({ telegram: { chat_id: String(1_000_000 + number) } }),
      countSends: () => telegram.sends.length,
      putOff: (times) => telegram.fail(...repeat(throttled, times)),
    },
  };
}

/** Numbers of Denmark: a country without area codes, so that each is possible. */
function phoneOf(number: number): string {
  return `+45${String(20_000_000 + number)}`;
}

function repeat<const Fault>(fault: Fault, times: number): Fault[] {
  return Array.from({ length: times }, () => fault);
}
