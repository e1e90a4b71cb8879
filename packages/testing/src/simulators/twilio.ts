import { hash } from 'node:crypto';
import {
  createHttpSimulator,
  type HttpFault,
  type HttpReply,
  type HttpRequest,
  type HttpSimulator,
} from './http-simulator';
import { formType, hasType } from './rules';
import {
  postTwilioReceipt,
  postTwilioReply,
  type TwilioAnswer,
  type TwilioReceipt,
  type TwilioReply,
} from './twilio-receipts';
import { findTwilioProblem } from './twilio-rules';

/** A message that Twilio accepted. */
export type TwilioSend = {
  sid: string;
  accountSid: string;
  to: string;
  /** The number, or the messaging service. */
  from: string;
  body: string;
  /** Every field of the form, each with its values. */
  fields: Record<string, string[]>;
  createdAt: Date;
  statusCallback?: string;
  /** SHA-256 of the password in hexadecimal, to identify it without storing it. */
  passwordHash: string;
  /** The message's ID, which the sender put into the StatusCallback. It distinguishes sends. */
  messageId?: string;
};

/** `code` is one of Twilio's, with Twilio's status for it; `with` are further members. */
export type TwilioFault =
  | HttpFault
  | { on?: string; code: number; status?: number; with?: Record<string, unknown> };

export type TwilioSimulatorOptions = {
  /** The token that signs receipts. */
  authToken?: string;
  /** Whether the list of messages includes accepted ones; Twilio's list may be late. */
  isListing?: boolean;
  /** Accounts whose credentials it refuses; read with each call. */
  refusedAccounts?: ReadonlySet<string>;
};

export type TwilioSimulator = Omit<HttpSimulator<TwilioSend>, 'fail'> & {
  /** The base URL of the API: the value for TWILIO_API_URL. */
  url: string;
  fail(...faults: TwilioFault[]): void;
  /** Posts a receipt to the message's StatusCallback and returns the status of the answer. */
  report(send: TwilioSend, receipt: TwilioReceipt): Promise<number>;
  /** Posts a message of a person to the registered URL, and returns the answer. */
  reply(reply: TwilioReply): Promise<TwilioAnswer>;
};

export const simulatedAuthToken = '0123456789abcdef0123456789abcdef';
const simulatedAccount = `AC${'0'.repeat(32)}`;

/** Twilio's REST API, limited to sending: reading the account, creating a message, listing messages. */
export async function createTwilioSimulator({
  authToken = simulatedAuthToken,
  isListing = true,
  refusedAccounts = new Set(),
}: TwilioSimulatorOptions = {}): Promise<TwilioSimulator> {
  const acceptedSends: TwilioSend[] = [];
  const simulator = await createHttpSimulator<TwilioSend>({
    handle: (request) => answer(readCall(request), { acceptedSends, isListing, refusedAccounts }),
  });
  return {
    ...simulator,
    fail: (...faults) => simulator.fail(...faults.map(toHttpFault)),
    report: (send, receipt) => postTwilioReceipt({ send, authToken }, receipt),
    reply: (reply) => postTwilioReply({ accountSid: simulatedAccount, authToken }, reply),
  };
}

type Account = Required<Omit<TwilioSimulatorOptions, 'authToken'>> & {
  acceptedSends: TwilioSend[];
};

function answer(
  call: TwilioCall | undefined,
  { acceptedSends, isListing, refusedAccounts }: Account,
): { reply: HttpReply; send?: TwilioSend } {
  if (!call) return { reply: refusal(20404) };
  if (!call.password || refusedAccounts.has(call.accountSid)) return { reply: refusal(20003) };
  if (!call.isForm) return { reply: { status: 415, body: '' } };
  if (call.resource === '') return { reply: { body: { sid: call.accountSid, status: 'active' } } };
  return call.method === 'GET'
    ? { reply: listMessages(isListing ? acceptedSends : [], call) }
    : createMessage(call, acceptedSends);
}

type TwilioCall = {
  method: string;
  accountSid: string;
  resource: string;
  password: string;
  /** Whether its content type is the one of the Message resource. */
  isForm: boolean;
  params: URLSearchParams;
};

const route = /^\/2010-04-01\/Accounts\/(AC[0-9a-fA-F]{32})(\/Messages)?\.json$/;

function readCall({ method, path, headers, body }: HttpRequest): TwilioCall | undefined {
  const url = new URL(path, 'http://simulator');
  const [, accountSid, resource = ''] = route.exec(url.pathname) ?? [];
  if (accountSid === undefined) return undefined;
  return {
    method,
    accountSid,
    resource,
    password: readPassword(headers, accountSid),
    isForm: method === 'GET' || hasType(headers, formType),
    params: method === 'GET' ? url.searchParams : new URLSearchParams(body.toString('utf8')),
  };
}

/** Basic authentication: the account and its token, or an API key and its secret (twilio.com/docs/usage/requests-to-twilio). */
function readPassword({ authorization = '' }: HttpRequest['headers'], accountSid: string): string {
  if (!authorization.startsWith('Basic ')) return '';
  const login = Buffer.from(authorization.slice('Basic '.length), 'base64').toString('utf8');
  const [user = '', password = ''] = login.split(':');
  return user === accountSid || /^SK[0-9a-fA-F]{32}$/.test(user) ? password : '';
}

function createMessage(
  { accountSid, password, params }: TwilioCall,
  acceptedSends: TwilioSend[],
): { reply: HttpReply; send?: TwilioSend } {
  const code = findTwilioProblem(params);
  if (code) return { reply: refusal(code) };
  const statusCallback = params.get('StatusCallback');
  const messageId = statusCallback && new URL(statusCallback).searchParams.get('message');
  const send: TwilioSend = {
    sid: `SM${hash('md5', `${accountSid}/${acceptedSends.length}`, 'hex')}`,
    accountSid,
    to: params.get('To') ?? '',
    from: params.get('From') ?? params.get('MessagingServiceSid') ?? '',
    body: params.get('Body') ?? '',
    fields: Object.fromEntries([...params.keys()].map((name) => [name, params.getAll(name)])),
    createdAt: new Date(),
    passwordHash: hash('sha256', password, 'hex'),
    ...(statusCallback ? { statusCallback } : {}),
    ...(messageId ? { messageId } : {}),
  };
  acceptedSends.push(send);
  return { reply: { status: 201, body: toWire(send) }, send };
}

function listMessages(acceptedSends: readonly TwilioSend[], { params }: TwilioCall): HttpReply {
  const size = Number(params.get('PageSize') ?? 50);
  const fitting = acceptedSends.filter(({ to }) => to === params.get('To')).slice(-size);
  return { body: { messages: fitting.reverse().map(toWire) } };
}

function toWire({ sid, accountSid, to, from, body, createdAt }: TwilioSend) {
  return {
    sid,
    account_sid: accountSid,
    to,
    from,
    body,
    status: 'queued',
    num_segments: '1',
    date_created: createdAt.toUTCString(),
    error_code: null,
    error_message: null,
  };
}

const statuses: Record<number, number | undefined> = {
  20003: 401,
  20005: 403,
  20404: 404,
  20429: 429,
  20500: 500,
  20503: 503,
};

function refusal(
  code: number,
  status = statuses[code] ?? 400,
  extraFields: object = {},
): HttpReply {
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return { status, body: { code, message: `Error ${code}`, more_info, status, ...extraFields } };
}

function toHttpFault(fault: TwilioFault): HttpFault {
  if (!('code' in fault)) return fault;
  const { on, code, status } = fault;
  return { ...(on ? { on } : {}), reply: refusal(code, status, fault.with) };
}
