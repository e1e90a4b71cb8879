import { createHmac } from 'node:crypto';

const prefix = 'whsec_';

export type SignedContent = {
  id: string;
  /** Time of the try. */
  at: Date;
  body: string;
  /** As shown to the operator: `whsec_` and base64. */
  secrets: readonly string[];
};

/** The headers of Standard Webhooks 1.0.0, with one signature for each secret. */
export function signWebhook({ id, at, body, secrets }: SignedContent): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`);
    return `v1,${signature.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
