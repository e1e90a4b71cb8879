import type { Http, HttpResponse } from '../http';
import { classifyFailure, type FailedOutcome, type NetworkFailure } from '../network-failure';
import { parseJson, toRecord } from '../read-json';
import { redact } from '../redact';
import { classifyTwilioError } from './codes';
import type { TwilioAccess } from './integration';

/** Whose account, and the signal that ends the call. */
export type TwilioSession = { access: TwilioAccess; signal: AbortSignal };

/** Twilio's yes with its body, or what its no means; `response` is what may be kept of either. */
export type TwilioReply =
  | { body: Record<string, unknown>; answeredAt: number; response: Record<string, unknown> }
  | { failure: FailedOutcome; code: number | undefined; response: Record<string, unknown> };

export type TwilioFields = Record<string, string | number | boolean | string[]>;

export type TwilioApi = {
  createMessage(fields: TwilioFields, session: TwilioSession): Promise<TwilioReply>;
  listMessages(filter: TwilioFields, session: TwilioSession): Promise<TwilioReply>;
  fetchAccount(session: TwilioSession): Promise<TwilioReply>;
};

type TwilioRequest =
  | { method: 'post'; path: string; data: TwilioFields }
  | { method: 'get'; path: string; params?: TwilioFields };

/** `url` is where the API is, when it is not Twilio itself. */
export function createTwilioApi({ http, url }: { http: Http; url: string | undefined }): TwilioApi {
  let sdk: ReturnType<typeof loadSdk> | undefined;
  let idleClient: import('twilio').RequestClient | undefined;

  async function sendRequest(request: TwilioRequest, session: TwilioSession): Promise<TwilioReply> {
    const { access, signal } = session;
    // Kept: to import what is loaded takes Node's loader as long as the call takes the SDK.
    sdk ??= loadSdk();
    const { Twilio, RequestClient } = await sdk;
    // Its own has an agent and an axios of its own, which nothing here uses and each call would make anew.
    idleClient ??= new RequestClient();
    let httpResult: HttpResponse | NetworkFailure | undefined;
    const httpClient: typeof idleClient = Object.assign(Object.create(idleClient), {
      async request({ method, uri, username = '', password = '', headers, data, params }: Call) {
        const login = Buffer.from(`${username}:${password}`).toString('base64');
        httpResult = await http.request({
          method: method === 'post' ? 'POST' : 'GET',
          url: buildUrl(uri, url) + buildQuery(params),
          headers: { ...toHeaders(headers), authorization: `Basic ${login}` },
          ...(data ? { body: toForm(data).toString() } : {}),
          signal,
        });
        return answerIsSeen;
      },
    });
    // A client a call, since it knows the deadline of this call alone. Where it would look into the
    // environment for what it is not told, it is told.
    const client = new Twilio(access.user, access.password, {
      accountSid: access.accountSid,
      edge: '',
      region: '',
      httpClient,
    });
    const { path, ...rest } = request;
    try {
      await client.request({ ...rest, uri: buildUri(access.accountSid, path) });
    } catch (error) {
      // The error may hold the credentials; all that counts is seen at the connection.
      if (!httpResult)
        throw new Error(`${path} could not be built`, { cause: getErrorName(error) });
    }
    return read(httpResult, access);
  }

  return {
    createMessage: (data, session) =>
      sendRequest({ method: 'post', path: '/Messages.json', data }, session),
    listMessages: (params, session) =>
      sendRequest({ method: 'get', path: '/Messages.json', params }, session),
    fetchAccount: (session) => sendRequest({ method: 'get', path: '.json' }, session),
  };
}

export const twilioHost = 'https://api.twilio.com';

/** What the client hands on; nothing reads it. An error in its place would cost a trace of the stack for each call. */
const answerIsSeen = { statusCode: 0, body: undefined, headers: {} };

type Call = {
  method: string;
  uri: string;
  username?: string;
  password?: string;
  headers?: object;
  data?: object;
  params?: object;
};

/** Takes a fifth of a second and 25 MB: with the first call, in the workers that make one. */
function loadSdk(): Promise<typeof import('twilio')> {
  return import('twilio').then(({ default: sdk }) => sdk);
}

function buildUri(accountSid: string, path: string): string {
  return `${twilioHost}/2010-04-01/Accounts/${accountSid}${path}`;
}

function buildUrl(uri: string, url: string | undefined): string {
  return url === undefined ? uri : url.replace(/(?<!\/)\/+$/, '') + new URL(uri).pathname;
}

function buildQuery(params: object | undefined): string {
  return params ? `?${toForm(params)}` : '';
}

function toHeaders(headers: object = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function toForm(fields: object): URLSearchParams {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return new URLSearchParams(pairs);
}

function getErrorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function read(
  httpResult: HttpResponse | NetworkFailure | undefined,
  { secrets }: TwilioAccess,
): TwilioReply {
  if (!httpResult || 'isWritten' in httpResult) {
    const networkFailure = httpResult ?? { code: undefined, isWritten: true };
    return { failure: classifyFailure(networkFailure), code: undefined, response: {} };
  }
  const { status, headers } = httpResult;
  const body = toRecord(parseJson(httpResult.body));
  const response = { status, ...pickFields(body, secrets) };
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && body) {
    return { body, answeredAt: Date.parse(headers.date ?? ''), response };
  }
  const code = parseErrorCode(body?.['code']);
  const failure = isSuccess ? unreadable : classifyTwilioError(code, { status, headers });
  return { failure, code, response };
}

export const unreadable: FailedOutcome = {
  outcome: 'unknown',
  reason: 'unreadable_answer',
  detail: 'Twilio’s answer could not be read, so the message may have been sent.',
};

/** Twilio's codes are numbers of five digits, sometimes as text; anything else is of something in between. */
export function parseErrorCode(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[1-9]\d{2,5}$/.test(text) ? Number(text) : undefined;
}

const keptFields = ['sid', 'status', 'num_segments', 'code', 'error_code', 'message', 'detail'];
const maxTextCharacters = 300;

/** What of an answer may be stored: these fields, cut, and without the credentials. */
function pickFields(
  body: Record<string, unknown> | undefined,
  secrets: readonly string[],
): Record<string, string | number> {
  const fields = keptFields.flatMap((field): [string, string | number][] => {
    const value = body?.[field];
    if (typeof value === 'number') return [[field, value]];
    if (typeof value !== 'string') return [];
    return [[field, redact(value, secrets).slice(0, maxTextCharacters)]];
  });
  return Object.fromEntries(fields);
}
