import { setTimeout as wait } from 'node:timers/promises';
import { type ParsedMail, simpleParser } from 'mailparser';
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerOptions,
  type SMTPServerSession,
} from 'smtp-server';
import { getPort } from './http-simulator';
import {
  createAcceptedListeners,
  createDelays,
  createFaultQueue,
  type Simulator,
} from './simulator';
import { findMailProblem, findPathProblem, type MailOptions } from './smtp-rules';

/** A mail that the server accepted. */
export type SmtpSend = {
  from: string;
  /** The recipients of the envelope, including copies. */
  to: string[];
  raw: Buffer;
  parsed: ParsedMail;
  messageId: string | undefined;
  /** The user who logged in, if any. */
  user: string | undefined;
};

/** The step of the conversation: on connecting, at AUTH, MAIL, RCPT, DATA, or after the whole mail was read. */
export type SmtpStage = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data' | 'end';

/**
 * A reply is a code and a text, such as `550 5.1.1 No such user`; at `data` the server can only drop or hang. At `rcpt`,
 * `to` keeps the fault for the first call with this address.
 */
export type SmtpFault = { at: SmtpStage; to?: string | undefined } & (
  | { reply: string }
  /** Breaks the connection; at `end` the mail was accepted before. */
  | { drop: true }
  /** Stops answering; at `end` the mail was accepted before. */
  | { hang: true }
  | { slowMs: number }
);

export type SmtpSimulatorOptions = {
  /** Required at AUTH. Without it no login is needed. */
  login?: { user: string; pass: string };
  /** SMTPUTF8 is offered unless this is false. */
  offersUtf8?: boolean;
  /** Delivery status notifications (RFC 3461) are offered if this is true. */
  offersDsn?: boolean;
};

export type SmtpSimulator = Simulator<SmtpSend, SmtpFault> & {
  /** The number of connections made. */
  connections(): number;
  /** The maximum number of concurrent connections. */
  mostConnections(): number;
  /** The commands MAIL and RCPT as received. */
  commands: string[];
};

const maxMailBytes = 20 * 1024 * 1024;
/** A hanging connection ends when the simulator is closed; nothing waits for it. */
const closeTimeoutMs = 10;

/** A mail server on loopback, without TLS. */
export async function createSmtpSimulator({
  login,
  offersUtf8 = true,
  offersDsn = false,
}: SmtpSimulatorOptions = {}): Promise<SmtpSimulator> {
  const faults = createFaultQueue<SmtpFault>();
  const acceptedListeners = createAcceptedListeners<SmtpSend>();
  const sends: SmtpSend[] = [];
  const delays = createDelays<SmtpSend>();

  const server = new SMTPServer({
    ...buildServerOptions(login),
    hideSMTPUTF8: !offersUtf8,
    hideDSN: !offersDsn,
    onConnect: (session, done) => answer(applyNextFault('connect', session), done),
    onAuth(auth, session, done) {
      answer(applyNextFault('auth', session), (error) => {
        const isRight = auth.username === login?.user && auth.password === login?.pass;
        if (error ?? !isRight) done(error ?? refusal('535 5.7.8 Wrong password'));
        else done(null, { user: auth.username });
      });
    },
    onMailFrom: (path, session, done) =>
      answer(refusePath(path, session) ?? applyNextFault('mail', session), done),
    onRcptTo: (path, session, done) =>
      answer(refusePath(path, session) ?? applyNextFault('rcpt', session, path.address), done),
    onData: (stream, session, done) => answer(acceptMail(stream, session), done),
  });
  // Some tests abort connections in the middle.
  server.on('error', () => undefined);

  /** Applies the next fault, or continues. */
  async function applyNextFault(stage: SmtpStage, session: SMTPServerSession, address?: string) {
    const fault = faults.take(({ at, to }) => at === stage && (to ?? address) === address);
    return applyFault(fault, { server, session });
  }

  async function acceptMail(stream: MailStream, session: SMTPServerSession): Promise<Step> {
    if ((await applyNextFault('data', session)) === 'say nothing') return 'say nothing';
    const mail = await receive(stream, session);
    const problem = findMailProblem(mail.raw, readOptions(session));
    if (problem !== undefined) return refusal(problem);
    // The mail is accepted before the fault, unless it is refused: that makes the fault dangerous.
    const atMs = performance.now();
    sends.push(mail);
    await delays.pass(mail);
    const step = await applyNextFault('end', session);
    if (step instanceof Error) sends.splice(sends.indexOf(mail), 1);
    else acceptedListeners.notify({ send: mail, atMs, isAnswered: step === 'go on' });
    return step;
  }

  const commands = recordCommands(server);
  const connections = countConnections(server);
  await listen(server);
  const port = getPort(server.server.address());
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    sends,
    connections: () => connections.total,
    mostConnections: () => connections.most,
    commands,
    onAccepted: acceptedListeners.add,
    fail: (...more) => faults.add(more),
    delayEach: delays.set,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function refusePath(
  { address }: SMTPServerAddress,
  session: SMTPServerSession,
): Promise<Step> | undefined {
  const problem = findPathProblem(address, readOptions(session));
  return problem === undefined ? undefined : Promise.resolve(refusal(problem));
}

async function applyFault(
  fault: SmtpFault | undefined,
  { server, session }: { server: SMTPServer; session: SMTPServerSession },
): Promise<Step> {
  if (!fault) return 'go on';
  if ('reply' in fault) return refusal(fault.reply);
  if ('slowMs' in fault) await wait(fault.slowMs);
  if ('drop' in fault) drop(server, session);
  return 'slowMs' in fault ? 'go on' : 'say nothing';
}

/** The parameters of MAIL FROM. */
function readOptions({ envelope }: SMTPServerSession): MailOptions {
  return { isUtf8: envelope.smtpUtf8 === true, is8Bit: envelope.bodyType === '8bitmime' };
}

function buildServerOptions(login: SmtpSimulatorOptions['login']): SMTPServerOptions {
  return {
    disabledCommands: login ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
    authOptional: !login,
    authMethods: ['PLAIN', 'LOGIN'],
    hideENHANCEDSTATUSCODES: true,
    disableReverseLookup: true,
    closeTimeout: closeTimeoutMs,
    size: maxMailBytes,
    logger: false,
  };
}

function countConnections(server: SMTPServer): { total: number; most: number } {
  const counts = { total: 0, open: 0, most: 0 };
  server.server.on('connection', (socket) => {
    counts.total += 1;
    counts.open += 1;
    counts.most = Math.max(counts.most, counts.open);
    // `finish` comes as soon as this side is closed, which the client may see before `close` comes here.
    let isOpen = true;
    for (const event of ['finish', 'close']) {
      socket.once(event, () => {
        if (isOpen) counts.open -= 1;
        isOpen = false;
      });
    }
  });
  return counts;
}

/** The library passes addresses in its own format. */
function recordCommands(server: SMTPServer): string[] {
  const commands: string[] = [];
  server.server.on('connection', (socket) => {
    socket.on('data', (bytes: Buffer) => {
      const lines = bytes.toString().split('\r\n');
      commands.push(...lines.filter((line) => /^(MAIL|RCPT) /.test(line)));
    });
  });
  return commands;
}

type MailStream = NodeJS.ReadableStream;
type Step = 'go on' | 'say nothing' | Error;

function answer(step: Promise<Step>, done: (error?: Error | null) => void): void {
  step.then(
    (what) => {
      if (what !== 'say nothing') done(what === 'go on' ? null : what);
    },
    () => done(refusal('451 4.3.0 The simulator failed')),
  );
}

function drop(server: SMTPServer, session: SMTPServerSession): void {
  for (const connection of server.connections) {
    if (connection.session.id === session.id) connection._socket.destroy();
  }
}

function listen(server: SMTPServer): Promise<void> {
  return new Promise((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve());
  });
}

async function receive(
  stream: NodeJS.ReadableStream,
  session: SMTPServerSession,
): Promise<SmtpSend> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  const raw = Buffer.concat(chunks);
  const parsed = await simpleParser(raw);
  const { mailFrom, rcptTo } = session.envelope;
  return {
    from: mailFrom ? mailFrom.address : '',
    to: rcptTo.map(({ address }) => address),
    raw,
    parsed,
    messageId: parsed.messageId,
    user: typeof session.user === 'string' ? session.user : undefined,
  };
}

function refusal(reply: string): Error {
  const [, code = '550', text = ''] = /^(\d{3}) ?(.*)$/.exec(reply) ?? [];
  return Object.assign(new Error(text), { responseCode: Number(code) });
}
