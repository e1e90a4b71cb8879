import { createECDH } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { IntegrationInput } from '../channel';
import { keepsCredentials, madeByBelfry, showsValue } from '../credential-marks';
import { maxPerSecondSetting } from '../rate';

export const webPushSettings = Type.Object({
  subject: Type.String({
    title: 'Contact',
    description:
      'mailto: or https: URL that push services may use to contact you (the VAPID subject).',
    pattern: '^(mailto:[^\\s@]+@[^\\s@]+|https://[^\\s]+)$',
    maxLength: 254,
    ...keepsCredentials,
  }),
  max_per_second: maxPerSecondSetting(),
});

/** Keys in base64url (RFC 8292, section 3.2). */
export const webPushCredentials = Type.Object({
  public_key: Type.String({
    title: 'Public key',
    description:
      'Pages subscribe with it. Belfry makes the pair, unless you enter one from another sender.',
    pattern: '^[A-Za-z0-9_-]{87}$',
    ...showsValue,
    ...madeByBelfry,
  }),
  private_key: Type.String({
    title: 'Private key',
    description: 'Signs every request. Belfry makes it.',
    pattern: '^[A-Za-z0-9_-]{43}$',
    ...madeByBelfry,
  }),
});

export const webPushPayload = Type.Object(
  {
    /** "no more than 32 characters from the URL and filename-safe Base 64 alphabet" (RFC 8030, section 5.4). */
    topic: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{1,32}$' })),
    /** RFC 8030, section 5.3 */
    urgency: Type.Optional(
      Type.Union([
        Type.Literal('very-low'),
        Type.Literal('low'),
        Type.Literal('normal'),
        Type.Literal('high'),
      ]),
    ),
    /** In seconds. The message's expiry is the upper limit. */
    ttl: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_419_200 })),
  },
  { additionalProperties: false },
);

export type WebPushIntegration = Pick<Static<typeof webPushSettings>, 'subject'> & {
  publicKey: string;
  privateKey: string;
};

/** The typed integration, or undefined when it was saved incomplete. */
export function readWebPush(input: IntegrationInput): WebPushIntegration | undefined {
  const { settings, credentials } = input;
  const isWhole =
    Value.Check(webPushSettings, settings) && Value.Check(webPushCredentials, credentials);
  if (!isWhole || checkWebPush(input).length > 0) return undefined;
  const { public_key: publicKey, private_key: privateKey } = credentials;
  return { subject: settings.subject, publicKey, privateKey };
}

/** Problems that the schemas cannot express. */
export function checkWebPush({ settings, credentials }: IntegrationInput): string[] {
  const { public_key: publicKey, private_key: privateKey } = credentials;
  const derivedKey = derivePublicKey(String(privateKey));
  if (derivedKey === undefined) return ['private_key is not a private key of the curve P-256'];
  return [
    ...(isUsableSubject(String(settings['subject']))
      ? []
      : ['subject must have a public host name: Apple refuses localhost']),
    ...(derivedKey === publicKey ? [] : ['public_key does not belong to the private key']),
  ];
}

/** Apple answers 403 BadJwtToken otherwise (web-push-libs/web-push#947). */
function isUsableSubject(subject: string): boolean {
  if (!URL.canParse(subject)) return false;
  const { protocol, hostname, pathname } = new URL(subject);
  const host = protocol === 'mailto:' ? pathname.slice(pathname.indexOf('@') + 1) : hostname;
  return host.includes('.') && !host.toLowerCase().endsWith('.localhost');
}

function derivePublicKey(privateKey: string): string | undefined {
  const ecdh = createECDH('prime256v1');
  try {
    ecdh.setPrivateKey(privateKey, 'base64url');
    return ecdh.getPublicKey('base64url');
  } catch {
    return undefined;
  }
}
