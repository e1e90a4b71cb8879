import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { IntegrationInput } from '../channel';
import { keepsCredentials, showsLastFour } from '../credential-marks';
import { maxPerSecondSetting } from '../rate';
import { whatsappRate } from './rate';

export const metaSettings = Type.Object({
  sender: Type.String({
    title: 'Phone number id',
    description: 'The id that the WhatsApp Manager shows for the number, not the number itself.',
    pattern: '^[0-9]{5,32}$',
  }),
  graph_version: Type.Optional(
    Type.String({
      title: 'Graph API version',
      pattern: '^v[0-9]{1,2}\\.[0-9]$',
      default: 'v23.0',
      ...keepsCredentials,
    }),
  ),
  max_per_second: maxPerSecondSetting(whatsappRate.perSecond),
});

export const metaCredentials = Type.Object({
  access_token: Type.String({
    title: 'Access token',
    description: 'The token of a system user, so that it does not expire.',
    minLength: 1,
    maxLength: 1_024,
    ...keepsCredentials,
    ...showsLastFour,
  }),
  app_secret: Type.Optional(
    Type.String({
      title: 'App secret',
      description: 'Verifies that a report comes from Meta; without it, no report is accepted.',
      maxLength: 256,
      ...keepsCredentials,
      ...showsLastFour,
    }),
  ),
  verify_token: Type.Optional(
    Type.String({
      title: 'Verify token',
      description: 'Any text; enter the same text next to the callback URL in Meta’s dashboard.',
      maxLength: 256,
      ...keepsCredentials,
    }),
  ),
});

export const metaPayload = Type.Object({
  preview_url: Type.Optional(
    Type.Boolean({ title: 'Show a preview of the first link in the text' }),
  ),
  context: Type.Optional(
    Type.Object(
      { message_id: Type.String({ pattern: '^wamid\\.[A-Za-z0-9+/=_-]{1,300}$' }) },
      { title: 'The message that this one replies to', additionalProperties: false },
    ),
  ),
});

export type MetaSettings = Static<typeof metaSettings>;
export type MetaCredentials = Static<typeof metaCredentials>;
export type MetaPayload = Static<typeof metaPayload>;

const defaultGraphVersion = 'v23.0';
/** Characters that a header value may have. */
const headerSafe = /^[\x21-\x7e]{1,1024}$/;

/** The typed integration, or undefined when it was saved incomplete. */
export function readMeta({
  settings,
  credentials,
}: IntegrationInput): { settings: MetaSettings; credentials: MetaCredentials } | undefined {
  const isWhole =
    Value.Check(metaSettings, settings) &&
    Value.Check(metaCredentials, credentials) &&
    headerSafe.test(credentials.access_token);
  return isWhole ? { settings, credentials } : undefined;
}

/** Problems that the schemas cannot express. */
export function checkMeta({ credentials }: IntegrationInput): string[] {
  const { access_token: token, app_secret: secret, verify_token: verify } = credentials;
  const isToken = typeof token === 'string' && headerSafe.test(token);
  return [
    ...(isToken ? [] : ['access_token must not have spaces or line breaks']),
    ...(verify && !secret ? ['app_secret must be set if there is a verify token'] : []),
    ...(secret && !verify ? ['verify_token must be set if there is an app secret'] : []),
  ];
}

/** The Cloud API URL of the number; in a description, settings may be missing. */
export function buildNumberUrl(
  base: string | undefined,
  settings: Record<string, unknown>,
): string {
  const { sender, graph_version: version } = settings;
  const root = (base ?? 'https://graph.facebook.com').replace(/(?<!\/)\/+$/, '');
  return `${root}/${toText(version) || defaultGraphVersion}/${toText(sender) || '{sender}'}`;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
