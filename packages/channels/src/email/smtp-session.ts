import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SendResult } from '../channel';
import { type FailedOutcome, formatEndpoint } from '../network-failure';
import { isRecord } from '../read-json';
import { isAscii } from './header-value';
import type { Envelope } from './mail';
import { connectTimeoutMs, type OpenSocket } from './open-socket';
import { readAcceptedMail, readFailedMail, readMailError } from './smtp-result';
import type { SmtpCredentials, SmtpSettings } from './smtp-settings';

/** A complete mail with its envelope. */
export type SmtpMail = { mime: Buffer; envelope: Envelope; messageId: string };

/**
 * One connection to a mail server. It opens with the first mail, because the
 * server's timeouts start with the connection.
 */
export type SmtpSession = {
  /** Sends one mail at a time; never throws. A mail whose signal fired is not sent later. */
  send(mail: SmtpMail, signal: AbortSignal): Promise<SendResult>;
  /** Connects and signs in without sending. Rejects on failure. */
  open(signal: AbortSignal): Promise<void>;
  /**
   * Whether it accepts another mail. After a refused mail it first resets the session, within 5 s.
   */
  isUsable(): Promise<boolean>;
  /** Ends the session with QUIT. Closes the connection after at most 5 s. */
  quit(): void;
};

type SmtpSessionDeps = {
  settings: SmtpSettings;
  credentials: SmtpCredentials;
  openSocket: OpenSocket;
  /** Called once, when the server has closed its side, or 1 s after we closed ours. */
  onClosed(): void;
};

const maxMails = 100;
const greetingTimeoutMs = 10_000;
const socketTimeoutMs = 60_000;
const socketCloseMs = 1_000;
/** Time limit for the replies to RSET and QUIT. */
const closeTimeoutMs = 5_000;

export function createSmtpSession(deps: SmtpSessionDeps): SmtpSession {
  const closing = new AbortController();
  let opening: Promise<OpenConnection> | undefined;
  let hasSocket = false;
  let reset = Promise.resolve(true);
  let mails = 0;

  function close(): void {
    if (closing.signal.aborted) return;
    closing.abort();
    if (!hasSocket) deps.onClosed();
  }

  function watchSocket(socket: Socket): void {
    hasSocket = true;
    socket.once('close', deps.onClosed);
  }

  function open(): Promise<OpenConnection> {
    opening ??= openConnection(deps, {
      closing: closing.signal,
      onEnd: close,
      onSocket: watchSocket,
    });
    return opening;
  }

  async function send(mail: SmtpMail, signal: AbortSignal): Promise<SendResult> {
    const body = Readable.from(mail.mime);
    const startedAtMs = performance.now();
    mails += 1;
    try {
      const sent = open().then((opened) => sendMail(opened, { ...mail, body }, deps));
      return await endWith(signal, sent, close);
    } catch (error) {
      // The dot that ends a mail is written after its last byte was read, never before.
      const isWritten = body.readableEnded;
      if (isRefusal(error)) reset = resetConversation();
      else close();
      const elapsedMs = performance.now() - startedAtMs;
      const call = { isWritten, endpoint: getMailEndpoint(deps.settings), elapsedMs };
      return readFailedMail(readMailError(error), call, deps.credentials);
    }
  }

  async function resetConversation(): Promise<boolean> {
    const isReset = await resetConnection(await open());
    if (!isReset) close();
    return isReset;
  }

  return {
    send,
    open: async (signal) => {
      await endWith(signal, open(), close);
    },
    isUsable: async () => (await reset) && mails < maxMails && !closing.signal.aborted,
    quit() {
      if (!opening) return close();
      opening.then(({ connection }) => connection.quit()).catch(() => undefined);
      setTimeout(close, closeTimeoutMs).unref();
    },
  };
}

type OpenConnection = {
  connection: SMTPConnection;
  /** Rejects when the connection fails or ends. */
  failure: Promise<never>;
};

type Hooks = { closing: AbortSignal; onEnd(): void; onSocket(socket: Socket): void };

async function openConnection(
  deps: SmtpSessionDeps,
  { closing, onEnd, onSocket }: Hooks,
): Promise<OpenConnection> {
  const socket = await openTcp(deps);
  if (closing.aborted) {
    socket.destroy();
    throw lost();
  }
  onSocket(socket);
  // Loaded here, because workers of other channels do not need it.
  const Connection = require('nodemailer/lib/smtp-connection') as typeof SMTPConnection;
  const connection = new Connection({ ...getOptions(deps.settings), connection: socket });
  const failure = watchFailure(connection);
  connection.once('end', onEnd);
  closing.addEventListener('abort', () => connection.close(), { once: true });
  await withCallback(failure, (done) => connection.connect(done));
  const { user, pass } = deps.credentials;
  if (user && pass) {
    const login = { user, credentials: { user, pass } };
    await withCallback(failure, (done) => connection.login(login, done));
  }
  return { connection, failure };
}

async function sendMail(
  { connection, failure }: OpenConnection,
  { envelope, body, messageId }: SmtpMail & { body: Readable },
  { settings, credentials }: SmtpSessionDeps,
): Promise<SendResult> {
  if (needsUtf8(envelope) && !offersUtf8(connection)) return { outcome: refuseUtf8(envelope) };
  // nodemailer mutates the envelope it gets.
  const own = { ...envelope, to: [...envelope.to] };
  const sentInfo = await withCallback<SMTPConnection.SentMessageInfo>(failure, (done) =>
    connection.send(own, body, done),
  );
  const endpoint = getMailEndpoint(settings);
  return readAcceptedMail(sentInfo, { target: envelope.to[0], messageId, endpoint }, credentials);
}

export function getMailEndpoint({ host, port }: SmtpSettings): string {
  return formatEndpoint(host, port);
}

/** Whether the server is ready for the next mail. */
function resetConnection({ connection, failure }: OpenConnection): Promise<boolean> {
  const answered = withCallback(failure, (done) => connection.reset(done));
  return Promise.race([
    answered.then(
      () => true,
      () => false,
    ),
    sleep(closeTimeoutMs, false, { ref: false }),
  ]);
}

function openTcp({ settings, openSocket }: SmtpSessionDeps): Promise<Socket> {
  return new Promise((resolve, reject) => {
    openSocket(settings, (error, opened) => {
      if (opened) resolve(opened.connection);
      else reject(error);
    });
  });
}

function watchFailure(connection: SMTPConnection): Promise<never> {
  const failure = new Promise<never>((_, reject) => {
    connection.on('error', reject);
    // The cause, such as a reply, is reported in the same tick.
    connection.once('end', () => setImmediate(() => reject(lost())));
  });
  failure.catch(() => undefined);
  return failure;
}

function lost(): Error {
  return Object.assign(new Error('The connection ended'), { code: 'ECONNECTION' });
}

type Done<Value> = (error?: Error | null, value?: Value) => void;

function withCallback<Value>(
  failure: Promise<never>,
  call: (done: Done<Value>) => void,
): Promise<Value> {
  const called = new Promise<Value>((resolve, reject) => {
    // Without an error, nodemailer passes the value that its types declare.
    call((error, value) => (error ? reject(error) : resolve(value as Value)));
  });
  return Promise.race([called, failure]);
}

/** Rejects when the signal fires. Removes its listener when the work ends. */
function endWith<Value>(
  signal: AbortSignal,
  work: Promise<Value>,
  end: () => void,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    function abort(): void {
      reject(Object.assign(new Error('Aborted'), { code: 'ABORT_ERR' }));
      end();
    }
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}

/** The server or nodemailer refused only this mail, so the session continues. A 421 ends it. */
function isRefusal(error: unknown): boolean {
  if (!isRecord(error) || error['responseCode'] === 421) return false;
  return error['code'] === 'EENVELOPE' || error['code'] === 'EMESSAGE';
}

function getOptions({
  host,
  port,
  secure = false,
  require_tls = true,
}: SmtpSettings): SMTPConnection.Options {
  return {
    host,
    port,
    secure,
    requireTLS: !secure && require_tls,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: greetingTimeoutMs,
    socketTimeout: socketTimeoutMs,
    socketCloseTimeout: socketCloseMs,
  };
}

/** Domains are already ASCII, so only local parts can need SMTPUTF8. */
function needsUtf8({ from, to }: { from: string; to: string[] }): boolean {
  return [from, ...to].some((address) => !isAscii(address));
}

/**
 * Whether the server offers SMTPUTF8. nodemailer adds the parameter when offered, and silently
 * sends without it otherwise. It has no public API for this, so we read a private member. If that
 * member is missing, SMTPUTF8 counts as not offered.
 */
function offersUtf8(connection: object): boolean {
  const extensions: unknown = Reflect.get(connection, '_supportedExtensions');
  return Array.isArray(extensions) && extensions.includes('SMTPUTF8');
}

/**
 * The failure names the address that needs SMTPUTF8. Its scope shows what to change: the
 * integration, the content or the recipient.
 */
function refuseUtf8({ from, to: [target, ...copies] }: Envelope): FailedOutcome {
  const reason = 'no_smtputf8';
  if (!isAscii(from)) {
    return {
      outcome: 'rejected',
      scope: 'integration',
      reason: 'sender_refused',
      detail: formatDetail(from),
    };
  }
  const copy = copies.find((each) => !isAscii(each));
  return isAscii(target) && copy
    ? { outcome: 'rejected', scope: 'content', reason, detail: formatDetail(copy) }
    : { outcome: 'rejected', scope: 'recipient', reason, detail: formatDetail(target) };
}

function formatDetail(address: string): string {
  return `"${address}" has non-ASCII letters before the @, and the mail server does not offer SMTPUTF8.`;
}
