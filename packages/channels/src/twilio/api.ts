import type { Http, HttpResponse } from '../http';
import { classifyFailure, type FailedOutcome, type NetworkFailure } from '../network-failure';
import { parseJson, toRecord } from '../read-json';
import { redact } from '../redact';
import { classifyTwilioError } from './classify-error';
import type { TwilioAccess } from './integration';

/** The account, and the signal that ends the call. */
export type TwilioSession = { access: TwilioAccess; signal: AbortSignal };

/**
 * Twilio's success with its body, or the classified error. `response` is the part that may be
 * stored.
 */
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

/** `url` is the API base URL, when it is not Twilio's. */
export function createTwilioApi({ http, url }: { http: Http; url: string | undefined }): TwilioApi {
  let sdk: ReturnType<typeof loadSdk> | undefined;
  let idleClient: import('twilio').RequestClient | undefined;

  async function sendRequest(request: TwilioRequest, session: TwilioSession): Promise<TwilioReply> {
    const { access, signal } = session;
    // Cached: importing a loaded module takes as long in Node's loader as the SDK takes for the
    // call.
    sdk ??= loadSdk();
    const { Twilio, RequestClient } = await sdk;
    // The SDK's default client creates an unused agent and axios instance for each call.
    idleClient ??= new RequestClient();
    let httpResult: HttpResponse | NetworkFailure | undefined;
    let cause: string | undefined;
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
        return unusedResponse;
      },
    });
    // One client per call, since it knows only this call's deadline. All options are set, so that
    // the SDK does not read the environment.
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
      // The error may contain the credentials; the result was seen at the connection.
      cause = getErrorName(error);
    }
    if (!httpResult) throw new Error(`${path} could not be built`, { cause });
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

/**
 * The response that the SDK gets; nothing reads it. Throwing instead would cost a stack trace per
 * call.
 */
const unusedResponse = { statusCode: 0, body: undefined, headers: {} };

type Call = {
  method: string;
  uri: string;
  username?: string;
  password?: string;
  headers?: object;
  data?: object;
  params?: object;
};

/** Takes 200 ms and 25 MB. Loaded with the first call, only in workers that make one. */
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

function read(httpResult: HttpResponse | NetworkFailure, { secrets }: TwilioAccess): TwilioReply {
  if ('isWritten' in httpResult)
    return { failure: classifyFailure(httpResult), code: undefined, response: {} };
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
  detail: 'Twilio’s response could not be read, so the message may have been sent.',
};

/** Twilio's codes are five-digit numbers, sometimes as text. Anything else comes from a proxy. */
export function parseErrorCode(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[1-9]\d{2,5}$/.test(text) ? Number(text) : undefined;
}

const keptFields = ['sid', 'status', 'num_segments', 'code', 'error_code', 'message', 'detail'];
const maxTextCharacters = 300;

/** The fields of a response that may be stored, cut and without the credentials. */
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
