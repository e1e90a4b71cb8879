import type { MailApiSimulator } from './simulators/mail-api';
import { createMailgunSimulator, mailgunWebhookKey } from './simulators/mailgun';
import { createPostmarkSimulator, postmarkWebhook } from './simulators/postmark';
import { createResendSimulator, resendWebhookSecret } from './simulators/resend';
import { createSendgridSimulator, getSendgridWebhookKey } from './simulators/sendgrid';
import { createSesSimulator, sesAccount } from './simulators/ses';

/** An e-mail service whose API is a simulator on this machine. */
export type SimulatedMailApi = {
  settings: Record<string, unknown>;
  credentials: Record<string, unknown>;
  simulator: MailApiSimulator;
  countSends(): number;
};

const simulatedSesSecret = 'simulated/secret+access+key';
const from = { name: 'Belfry', address: 'notify@example.com' };

/** Every e-mail service with an API, with an integration that its simulator accepts. */
export async function startMailApis(): Promise<{
  byName: Record<string, SimulatedMailApi>;
  /** Environment variables that point the workers to the simulators. */
  env: Record<string, string>;
  close(): Promise<void>;
}> {
  const byName = {
    mailgun: toMailApi(await createMailgunSimulator(), {
      settings: { domain: 'mg.example.com' },
      credentials: { api_key: 'simulated-mailgun-key', webhook_key: mailgunWebhookKey },
    }),
    postmark: toMailApi(await createPostmarkSimulator(), {
      settings: {},
      credentials: { server_token: 'simulated-postmark-token', ...postmarkWebhook },
    }),
    resend: toMailApi(await createResendSimulator(), {
      settings: {},
      credentials: { api_key: 're_simulated', webhook_secret: resendWebhookSecret },
    }),
    sendgrid: toMailApi(await createSendgridSimulator(), {
      settings: {},
      credentials: { api_key: 'SG.simulated', webhook_key: getSendgridWebhookKey() },
    }),
    ses: toMailApi(await createSesSimulator({ secretAccessKey: simulatedSesSecret }), {
      settings: {
        region: sesAccount.region,
        configuration_set: 'belfry',
        topic_arn: sesAccount.topicArn,
      },
      credentials: {
        access_key_id: sesAccount.accessKeyId,
        secret_access_key: simulatedSesSecret,
      },
    }),
  };
  return {
    byName,
    env: Object.fromEntries(
      Object.entries(byName).map(([name, { simulator }]) => [
        `${name.toUpperCase()}_API_URL`,
        simulator.url,
      ]),
    ),
    async close() {
      await Promise.all(Object.values(byName).map(({ simulator }) => simulator.close()));
    },
  };
}

function toMailApi(
  simulator: MailApiSimulator,
  { settings, credentials }: Pick<SimulatedMailApi, 'settings' | 'credentials'>,
): SimulatedMailApi {
  const countSends = () => simulator.sends.length;
  return { simulator, settings: { ...settings, from }, credentials, countSends };
}
