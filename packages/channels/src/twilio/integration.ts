import { type TObject, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { IntegrationInput } from '../channel';
import { keepsCredentials, showsLastFour, showsValue } from '../credential-marks';
import { maxPerSecondSetting } from '../rate';
import { parseTwilioSender, type SenderKind } from './sender';

export const twilioCredentials = Type.Object({
  account_sid: Type.String({
    title: 'Account SID',
    description: 'AC…, on the first page of the console.',
    pattern: '^[Aa][Cc][0-9a-fA-F]{32}$',
    maxLength: 34,
    ...showsValue,
  }),
  auth_token: Type.Optional(
    Type.String({
      title: 'Auth token',
      description: 'Also verifies Twilio’s delivery reports; without it, none are requested.',
      maxLength: 64,
      ...keepsCredentials,
      ...showsLastFour,
    }),
  ),
  api_key_sid: Type.Optional(
    Type.String({
      title: 'API key SID',
      description: 'SK…; signs in instead of the auth token.',
      pattern: '^([Ss][Kk][0-9a-fA-F]{32})?$',
      maxLength: 34,
      ...showsValue,
    }),
  ),
  api_key_secret: Type.Optional(
    Type.String({ title: 'API key secret', maxLength: 128, ...keepsCredentials, ...showsLastFour }),
  ),
});

/** `hint` lists the senders that the channel accepts. */
export function createTwilioSettings(hint: string, perSecond: number | undefined): TObject {
  return Type.Object({
    // Any number of the account may be set: the credentials go to Twilio in any case.
    sender: Type.String({
      title: 'Sender',
      description: hint,
      minLength: 1,
      maxLength: 64,
      ...keepsCredentials,
    }),
    max_per_second: maxPerSecondSetting(perSecond),
  });
}

/** How a call signs in, and the secrets that no stored text may contain. */
export type TwilioAccess = {
  accountSid: string;
  user: string;
  password: string;
  secrets: string[];
};

/**
 * Undefined when the integration was saved incomplete: the SDK would otherwise sign in from the
 * environment. Cached per object, because a worker keeps an integration's credentials as long as
 * its row.
 */
export function readTwilioAccess(credentials: Record<string, unknown>): TwilioAccess | undefined {
  if (accessCache.has(credentials)) return accessCache.get(credentials);
  const access = parseAccess(credentials);
  accessCache.set(credentials, access);
  return access;
}

const accessCache = new WeakMap<Record<string, unknown>, TwilioAccess | undefined>();

function parseAccess(credentials: Record<string, unknown>): TwilioAccess | undefined {
  if (!Value.Check(twilioCredentials, credentials)) return undefined;
  const { account_sid: accountSid, auth_token, api_key_sid, api_key_secret } = credentials;
  const secrets = [auth_token, api_key_secret].filter((secret) => secret !== undefined);
  if (api_key_sid && api_key_secret) {
    return { accountSid, user: api_key_sid, password: api_key_secret, secrets };
  }
  if (!auth_token) return undefined;
  return { accountSid, user: accountSid, password: auth_token, secrets };
}

export function getAuthToken(credentials: Record<string, unknown>): string | undefined {
  const token = credentials['auth_token'];
  return typeof token === 'string' && token !== '' ? token : undefined;
}

export function getSender(settings: Record<string, unknown>): string {
  const sender = settings['sender'];
  return typeof sender === 'string' ? sender : '';
}

/** Problems that the schemas cannot express. */
export function checkTwilio(
  { settings, credentials }: IntegrationInput,
  kinds: readonly SenderKind[],
  hint: string,
): string[] {
  return [...checkSender(getSender(settings), kinds, hint), ...checkCredentials(credentials)];
}

function checkSender(sender: string, kinds: readonly SenderKind[], hint: string): string[] {
  const parsed = parseTwilioSender(sender);
  return parsed && kinds.includes(parsed.kind) ? [] : [`sender must be one of: ${hint}`];
}

const credentialFields = ['account_sid', 'auth_token', 'api_key_sid', 'api_key_secret'] as const;

function checkCredentials(credentials: Record<string, unknown>): string[] {
  const [accountSid, authToken, keySid, keySecret] = credentialFields.map((field) => {
    const value = credentials[field];
    return typeof value === 'string' ? value : '';
  });
  const problems: [boolean, string][] = [
    [
      /^SK/i.test(accountSid ?? ''),
      'account_sid is the SID of an API key; enter it as API key SID',
    ],
    [
      !/^(AC[0-9a-f]{32}|SK.*)$/i.test(accountSid ?? ''),
      'account_sid must be AC and 32 hexadecimal digits',
    ],
    [!/^(\S{32})?$/.test(authToken ?? ''), 'auth_token must have 32 characters and no space'],
    [
      !/^(SK[0-9a-f]{32})?$/i.test(keySid ?? ''),
      'api_key_sid must be SK and 32 hexadecimal digits',
    ],
    [/[^\x21-\x7e]/.test(keySecret ?? ''), 'api_key_secret has a space or a control character'],
    [Boolean(keySid) && !keySecret, 'api_key_secret must be set if there is an API key SID'],
    [Boolean(keySecret) && !keySid, 'api_key_sid must be set if there is an API key secret'],
    [!authToken && !keySid && !keySecret, 'auth_token must be set, or an API key'],
  ];
  return problems.filter(([isProblem]) => isProblem).map(([, problem]) => problem);
}
