import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { IntegrationInput } from '../channel';
import { keepsCredentials, showsValue } from '../credential-marks';
import { maxPerSecondSetting } from '../rate';
import { parseEmailAddress } from './address';
import { checkDkim, dkimCredentials, dkimSettings } from './dkim';
import { checkSenderSettings, senderSettings } from './sender-settings';

const defaultMaxConnections = 5;
/** An address has at most 254 characters, and a bounce address 55 before the @. */
const maxBounceDomain = 198;

export const smtpSettings = Type.Object({
  host: Type.String({ title: 'Host', minLength: 1, maxLength: 253 }),
  port: Type.Integer({ title: 'Port', minimum: 1, maximum: 65_535, default: 587 }),
  secure: Type.Optional(
    Type.Boolean({
      title: 'TLS from the start',
      description: 'Required with port 465.',
      default: false,
    }),
  ),
  require_tls: Type.Optional(
    Type.Boolean({
      title: 'Require STARTTLS',
      description: 'Refuse servers without STARTTLS, when TLS is not used from the start.',
      default: true,
    }),
  ),
  ...senderSettings,
  bounce_domain: Type.Optional(
    Type.String({
      title: 'Bounce domain',
      description:
        'Bounces come to addresses of this domain, and your mail server passes them to Belfry. Empty means that they come to the sender.',
      maxLength: maxBounceDomain,
      ...keepsCredentials,
    }),
  ),
  ...dkimSettings,
  max_per_second: maxPerSecondSetting(),
  max_connections: Type.Optional(
    Type.Integer({
      title: 'Maximum connections',
      description: `Connections per worker to the mail server. This many mails are sent at once; the rest wait in the queue. Empty means ${defaultMaxConnections}.`,
      minimum: 1,
      maximum: 100,
      default: defaultMaxConnections,
      ...keepsCredentials,
    }),
  ),
});

/** The integration's `max_connections`, or the default. */
export function getMaxConnections({ max_connections: max }: Record<string, unknown>): number {
  return typeof max === 'number' ? max : defaultMaxConnections;
}

export const smtpCredentials = Type.Object({
  user: Type.Optional(Type.String({ title: 'User name', maxLength: 512, ...showsValue })),
  pass: Type.Optional(Type.String({ title: 'Password', maxLength: 4_096, ...keepsCredentials })),
  ...dkimCredentials,
});

export type SmtpSettings = Static<typeof smtpSettings>;
export type SmtpCredentials = Static<typeof smtpCredentials>;

/** The typed integration, or undefined when it was saved incomplete. */
export function readSmtp({
  settings,
  credentials,
}: IntegrationInput): { settings: SmtpSettings; credentials: SmtpCredentials } | undefined {
  const isWhole = Value.Check(smtpSettings, settings) && Value.Check(smtpCredentials, credentials);
  return isWhole ? { settings, credentials } : undefined;
}

const securePort = 465;
const submissionPorts = [25, 587, 2525];

/** Problems that the schemas cannot express. */
export function checkSmtp(integration: IntegrationInput): string[] {
  const read = readSmtp(integration);
  if (!read) return ['settings are incomplete'];
  return [
    ...checkTls(read.settings),
    ...checkAddresses(read.settings),
    ...checkLogin(read.credentials),
    ...checkDkim(integration),
  ];
}

function checkTls({ port, secure = false }: SmtpSettings): string[] {
  if (port === securePort && !secure) return [`secure must be on with port ${port}`];
  if (submissionPorts.includes(port) && secure) return [`secure must be off with port ${port}`];
  return [];
}

function checkAddresses(settings: SmtpSettings): string[] {
  const isHost = /^[A-Za-z0-9.:_-]+$/.test(settings.host);
  return [
    ...(isHost ? [] : ['host must be a host name or an IP address']),
    ...checkSenderSettings(settings),
    ...checkBounceDomain(settings),
  ];
}

function checkBounceDomain({ bounce_domain: domain }: SmtpSettings): string[] {
  if (!domain) return [];
  const parsed = parseEmailAddress(`bounce@${domain}`);
  const isPlain = 'address' in parsed && parsed.note === undefined;
  return isPlain ? [] : ['bounce_domain must be a lower-case domain, such as bounces.example.com'];
}

function checkLogin({ user, pass }: SmtpCredentials): string[] {
  if (Boolean(user) === Boolean(pass)) return [];
  return [
    user ? 'pass must be set if there is a user name' : 'user must be set if there is a password',
  ];
}
