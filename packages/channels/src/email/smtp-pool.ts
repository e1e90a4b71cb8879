import type { Readable } from 'node:stream';
import type { Outcome } from '@belfry/shared';
import type { SMTPPoolOptions } from 'nodemailer';
import type { SendResult, Tested } from '../channel';
import { redact } from '../redact';
import type { Envelope } from './mail';
import { connectTimeoutMs, type OpenSocket } from './open-socket';
import type { SmtpCredentials, SmtpSettings } from './smtp-settings';
import { needsUtf8, offersUtf8, refuseUtf8 } from './smtp-utf8';
import { type MailError, readMailError, sortMailError } from './sort-mail-error';

/** A mail, whole, and who gets it. */
export type PooledMail = { mime: Buffer; envelope: Envelope; messageId: string };

/** The connections of one integration. */
export type SmtpPool = {
  send(mail: PooledMail, signal: AbortSignal): Promise<SendResult>;
  /** Connects and signs in, without sending. */
  test(signal: AbortSignal): Promise<Tested>;
  close(): void;
};

export type SmtpPoolDeps = {
  settings: SmtpSettings;
  credentials: SmtpCredentials;
  openSocket: OpenSocket;
};

const maxConnections = 5;
const maxMailsPerConnection = 100;
/** Below the shortest that servers wait, so that a mail is not given to a closing connection. */
const idleTimeoutMs = 30_000;
const greetingTimeoutMs = 10_000;
const socketTimeoutMs = 60_000;
const maxReplyCharacters = 1_000;

export function createSmtpPool({ settings, credentials, openSocket }: SmtpPoolDeps): SmtpPool {
  const secrets = [credentials.pass, loginOf(credentials)];
  // Here and not above: a worker of another channel has no use for it.
  const { createTransport } = require('nodemailer') as typeof import('nodemailer');
  const transport = createTransport({ ...optionsOf(settings, credentials), getSocket });
  const bodies = new WeakMap<object, Readable>();
  const refusedUtf8 = new WeakSet<object>();

  // Its envelope object identifies a mail while the library sends it.
  transport.use('stream', (mail, done) => {
    const { data, message } = mail;
    const { envelope } = data;
    // The library writes the domain of some addresses in another way, and is not to.
    const used = Object.assign(message.getEnvelope(), envelope);
    if (envelope) {
      message.processFunc((body) => {
        bodies.set(envelope, body);
        // Called when the mail got its connection. Without recipients, the library refuses the mail by itself.
        if (needsUtf8(used) && !offersUtf8(transport, mail)) {
          refusedUtf8.add(envelope);
          used.to = [];
        }
        return body;
      });
    }
    done();
  });

  function getSocket(_: unknown, done: Parameters<OpenSocket>[1]): void {
    openSocket(settings, done);
  }

  return {
    async send({ mime, envelope, messageId }, signal) {
      try {
        const sent = await transport.sendMail({ raw: mime, envelope, signal });
        const refusals = sent.rejectedErrors?.map((error) => ({
          ...readMailError(error),
          to: error.recipient,
        }));
        return finish(
          { response: sent.response, refusals, target: envelope.to[0] },
          messageId,
          secrets,
        );
      } catch (error) {
        if (refusedUtf8.has(envelope)) return { outcome: refuseUtf8(envelope) };
        // The dot that ends a mail is written after its last byte was read, never before.
        const isWritten = Boolean(bodies.get(envelope)?.readableEnded);
        return fail(readMailError(error), isWritten, secrets);
      }
    },
    async test(signal) {
      try {
        await Promise.race([transport.verify(), rejectOn(signal)]);
        return { isWorking: true, detail: 'The mail server took the connection and the login.' };
      } catch (error) {
        const { detail, reason } = sortMailError(readMailError(error), false);
        return { isWorking: false, detail: detail ?? reason };
      }
    },
    close: () => transport.close(),
  };
}

/** Settles only when the signal fires: the library's check takes none. */
function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(Object.assign(new Error('Aborted'), { code: 'ABORT_ERR' }));
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

function optionsOf(
  settings: SmtpSettings,
  { user, pass }: SmtpCredentials,
): SMTPPoolOptions & { pool: true } {
  const { host, port, secure = false, require_tls = true } = settings;
  return {
    pool: true,
    host,
    port,
    secure,
    requireTLS: !secure && require_tls,
    ...(user && pass ? { auth: { user, pass }, forceAuth: true } : {}),
    maxConnections,
    maxMessages: maxMailsPerConnection,
    maxRequeues: 0,
    idleTimeout: idleTimeoutMs,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: greetingTimeoutMs,
    socketTimeout: socketTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** What AUTH PLAIN sends. */
function loginOf({ user, pass }: SmtpCredentials): string | undefined {
  return user && pass ? `\u0000${user}\u0000${pass}` : undefined;
}

type Refusal = MailError & { to: string | undefined };
type Taken = { response: string; refusals: Refusal[] | undefined; target: string };

/**
 * A mail is taken when its own recipient was. A copy that was refused is only noted; and when the own
 * recipient was refused, copies that the server took stay sent.
 */
function finish(
  { response, refusals = [], target }: Taken,
  messageId: string,
  secrets: readonly (string | undefined)[],
): SendResult {
  const own = refusals.find(({ to }) => to === target);
  if (own) return fail(own, false, secrets);
  const refused = refusals.map(({ to }) => to).join(', ');
  const outcome: Outcome = {
    outcome: 'accepted',
    providerMessageId: messageId,
    ...(refused ? { detail: `Copies were refused: ${refused}.` } : {}),
  };
  return { outcome, response: { reply: clean(response, secrets) } };
}

function fail(
  error: MailError,
  isWritten: boolean,
  secrets: readonly (string | undefined)[],
): SendResult {
  const outcome = sortMailError(error, isWritten);
  if (!error.response) return { outcome };
  const { command = '', response } = error;
  return {
    outcome,
    response: { command: clean(command, secrets), reply: clean(response, secrets) },
  };
}

function clean(text: string, secrets: readonly (string | undefined)[]): string {
  return redact(text, secrets).slice(0, maxReplyCharacters);
}
