import { hash } from 'node:crypto';
import {
  createHttpSimulator,
  type HttpReply,
  type HttpRequest,
  type HttpSimulator,
} from './http-simulator';

/** A mail that an e-mail service accepted. */
export type MailApiSend = {
  id: string;
  /** Belfry's ID of the message, from the service's tag or metadata. */
  messageId: string;
  mail: ReceivedMail;
  /** The fields of the request as received. */
  body: Record<string, unknown>;
  headers: HttpRequest['headers'];
  /** SHA-256 of the credential in hexadecimal, to identify it without storing it. */
  keyHash: string;
};

/** A mail as its recipients get it. */
export type ReceivedMail = {
  from: { name: string; address: string };
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
  attachments: ReceivedFile[];
};

export type ReceivedFile = {
  fileName: string;
  content: Buffer;
  contentType?: string | undefined;
  contentId?: string | undefined;
};

/** The events that each service reports in its own words. */
export type MailEventKind =
  | 'delivered'
  | 'delayed'
  | 'hard_bounce'
  | 'soft_bounce'
  | 'complaint'
  | 'suppressed'
  | 'opened';

export type MailReport = {
  kind: MailEventKind;
  /** The receipt URL, as entered in the service's dashboard. */
  url: string;
  /** The recipient that it is about; the first one by default. */
  recipient?: string;
  /** `wrong` signs with another secret, `none` does not sign. */
  signature?: 'right' | 'wrong' | 'none';
  /** Changes the body after it was signed. */
  alter?(body: string): string;
  /** When it is signed, in ms since the epoch; now by default. */
  atMs?: number;
};

export type MailApiSimulator = HttpSimulator<MailApiSend> & {
  /** Posts a signed report, and returns the status of the answer. */
  report(send: MailApiSend, report: MailReport): Promise<number>;
  /** The call that `report` posts. */
  sign(send: MailApiSend, report: MailReport): SignedReport;
};

export type SignedReport = { headers: Record<string, string>; body: string };

export type ReadMail = Pick<MailApiSend, 'messageId' | 'mail' | 'body'>;

export type MailReading = ReadMail | { reply: HttpReply };

export type MailApiRules = {
  /** Why the call is not let in, if it is not; and the credential. */
  authenticate(request: HttpRequest): { key: string } | { reply: HttpReply };
  isSend(request: HttpRequest): boolean;
  read(request: HttpRequest): MailReading | Promise<MailReading>;
  /** The answer to a mail that was accepted. */
  accept(id: string, read: ReadMail): HttpReply;
  /** The answer to any other call, such as a connection test. */
  handleOther(request: HttpRequest): HttpReply;
  /** The service's header for its idempotency key, and its answer to a key with other content. */
  idempotency?: { header: string; conflict: HttpReply };
  sign(send: MailApiSend, report: MailReport): SignedReport;
};

/** Shared code of the simulators of e-mail services. */
export async function createMailApiSimulator(rules: MailApiRules): Promise<MailApiSimulator> {
  const answered = new Map<string, { bodyHash: string; reply: HttpReply }>();
  let mails = 0;

  function findReplay(request: HttpRequest): HttpReply | undefined {
    const { header, conflict } = rules.idempotency ?? {};
    const earlier = answered.get(readHeader(request, header) ?? '');
    if (!earlier) return undefined;
    return earlier.bodyHash === hash('sha256', request.body, 'hex') ? earlier.reply : conflict;
  }

  function remember(request: HttpRequest, reply: HttpReply): void {
    const key = readHeader(request, rules.idempotency?.header);
    if (key) answered.set(key, { bodyHash: hash('sha256', request.body, 'hex'), reply });
  }

  async function handleSend(
    request: HttpRequest,
    key: string,
  ): Promise<{ reply: HttpReply; send?: MailApiSend }> {
    const read = await rules.read(request);
    if ('reply' in read) return { reply: read.reply };
    const replay = findReplay(request);
    if (replay) return { reply: replay };
    mails += 1;
    const id = `00000000-0000-4000-8000-${String(mails).padStart(12, '0')}`;
    const reply = rules.accept(id, read);
    remember(request, reply);
    const keyHash = hash('sha256', key, 'hex');
    return { reply, send: { id, ...read, headers: request.headers, keyHash } };
  }

  const simulator = await createHttpSimulator<MailApiSend>({
    handle(request) {
      const caller = rules.authenticate(request);
      if ('reply' in caller) return caller;
      if (rules.isSend(request)) return handleSend(request, caller.key);
      return { reply: rules.handleOther(request) };
    },
  });
  return {
    ...simulator,
    sign: rules.sign,
    async report(send, report) {
      const { headers, body } = rules.sign(send, report);
      const answer = await fetch(report.url, {
        method: 'POST',
        headers,
        body: report.alter?.(body) ?? body,
        signal: AbortSignal.timeout(timeoutMs),
      });
      await answer.arrayBuffer();
      return answer.status;
    },
  };
}

const timeoutMs = 10_000;

export function readHeader({ headers }: HttpRequest, name = ''): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** An address, alone or after a name, as RFC 5322 writes it; undefined for anything else. */
export function parseMailbox(text: unknown): { name: string; address: string } | undefined {
  if (typeof text !== 'string') return undefined;
  if (isAddress(text)) return { name: '', address: text };
  const [, quoted, plain, address = ''] =
    /^(?:"((?:[^"\\\r\n]|\\.)*)"|([^"<>,;:@\\()[\]\r\n]+)) <([^<>\s]+)>$/u.exec(text) ?? [];
  if (!isAddress(address)) return undefined;
  const name = quoted === undefined ? (plain ?? '').trim() : quoted.replace(/\\(.)/gu, '$1');
  return { name, address };
}

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const addressForm = new RegExp(`^${atom}(\\.${atom})*@([a-z0-9-]+\\.)+[a-z0-9-]+$`, 'i');

/** The addresses that every service takes: ASCII, in the form of a dot-atom. */
export function isAddress(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 254 && addressForm.test(text);
}

export function isBase64(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

/** Header names and values that may be written as they are. */
export function findHeaderProblem(headers: Record<string, unknown>): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!-9;-~]+$/.test(name)) return `The header name ${JSON.stringify(name)} is not valid`;
    if (typeof value !== 'string' || !/^[\t\u0020-\u007e]*$/.test(value)) {
      return `The header ${name} must be ASCII text without line breaks`;
    }
  }
  return undefined;
}

/** Reads a file of a mail from the service's names of its members. */
export function createFileReader(names: Record<keyof ReceivedFile, string>) {
  return (file: Record<string, string>): ReceivedFile => ({
    fileName: file[names.fileName] ?? '',
    content: Buffer.from(file[names.content] ?? '', 'base64'),
    contentType: file[names.contentType],
    contentId: file[names.contentId],
  });
}
