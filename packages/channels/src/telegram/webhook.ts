import type { ConnectionTestResult } from '../channel';
import type { TelegramAccess, TelegramApi, TelegramReply } from './api';
import { allowedUpdates, createWebhookSecret } from './updates';

/**
 * Registers the URL as the bot's webhook, for `/stop` and `/start`. A bot has only one, so the webhook of
 * another program stays. Renews our own, whose secrets may have changed.
 */
export async function registerWebhook(
  api: TelegramApi,
  receiptUrl: string | undefined,
  access: TelegramAccess,
): Promise<ConnectionTestResult> {
  if (receiptUrl === undefined) return refuse('Save the integration and test it again');
  if (!receiptUrl.startsWith('https://')) return refuse('PUBLIC_URL must begin with https://');
  const current = await api.call((client) => client.getWebhookInfo(), access);
  if ('failure' in current) return refuse(describe(current));
  const { url } = current.result;
  if (typeof url !== 'string') return refuse('Telegram did not say which webhook the bot has');
  if (url !== '' && !isOfIntegration(url, receiptUrl)) {
    const owner = URL.canParse(url) ? `on ${new URL(url).host}` : 'elsewhere';
    return refuse(`The bot has a webhook ${owner}, which stays. Remove it, and test again`);
  }
  const registered = await api.call(
    (client) =>
      client.setWebhook({
        url: receiptUrl,
        secret_token: createWebhookSecret(access.token),
        allowed_updates: allowedUpdates,
      }),
    access,
  );
  if ('failure' in registered) return refuse(describe(registered));
  return { isWorking: true, detail: 'Belfry receives /stop and /start.' };
}

function refuse(cause: string): ConnectionTestResult {
  return { isWorking: false, detail: `Belfry does not receive /stop and /start: ${cause}.` };
}

/** Telegram names the problem with a webhook; our codes are about messages. */
function describe({ failure, response }: Extract<TelegramReply, { failure: unknown }>): string {
  const { description } = response;
  return (
    typeof description === 'string' ? description : (failure.detail ?? failure.reason)
  ).replace(/\.$/, '');
}

/** Equal up to the integration's ID: the rest is a secret that changes with the key ring. */
function isOfIntegration(url: string, receiptUrl: string): boolean {
  return url.startsWith(receiptUrl.slice(0, receiptUrl.lastIndexOf('/') + 1));
}
