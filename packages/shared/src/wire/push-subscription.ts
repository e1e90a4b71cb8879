import { createPublicKey } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { limits } from './limits';

/** A browser's subscription, as `PushSubscription.toJSON()` returns it (W3C Push API, section 8). */
export const pushSubscription = Type.Object(
  {
    endpoint: Type.String({
      pattern: '^https://[\\x21-\\x7e]+$',
      maxLength: limits.pushEndpointCharacters,
      'x-push-endpoint': true,
      'x-problem':
        'must be an https URL as the browser returned it, without user name, password or fragment',
      description: 'URL of the push service. Only one device of an app can have it.',
    }),
    keys: Type.Object({
      p256dh: Type.String({
        pattern: '^[A-Za-z0-9_-]{87}=?$',
        'x-p256-point': true,
        'x-problem': 'must be an uncompressed P-256 point: 65 bytes in base64url',
      }),
      auth: Type.String({
        pattern: '^[A-Za-z0-9_-]{22}(==)?$',
        'x-problem': 'must be 16 bytes in base64url',
      }),
    }),
    expirationTime: Type.Optional(
      Type.Number({
        description: 'Stored and returned. Only the push service ends a subscription.',
      }),
    ),
  },
  {
    description:
      'Web push subscription, as `PushSubscription.toJSON()` returns it. Not together with `fcm_token`.',
  },
);

export type PushSubscription = Static<typeof pushSubscription>;

/** Whether a text is a URL in normal form, so that one endpoint has one spelling. */
export function isPushEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { href, username, password, hash } = new URL(text);
  return href === text && username === '' && password === '' && hash === '';
}

const pointBytes = 65;
const coordinateBytes = 32;

/** Whether a base64url text is an uncompressed point on the curve P-256 (SEC 1, section 2.3.4). */
export function isP256Point(text: string): boolean {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== pointBytes || bytes[0] !== 4) return false;
  const x = bytes.subarray(1, 1 + coordinateBytes).toString('base64url');
  const y = bytes.subarray(1 + coordinateBytes).toString('base64url');
  try {
    createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
    return true;
  } catch {
    return false;
  }
}

/** Without the optional padding of base64url. */
export function normalizeSubscription({
  keys,
  ...subscription
}: PushSubscription): PushSubscription {
  return { ...subscription, keys: { p256dh: unpad(keys.p256dh), auth: unpad(keys.auth) } };
}

function unpad(text: string): string {
  return text.replaceAll('=', '');
}
